import { expect, test } from 'vitest';
import { run } from '../../../cli/testing.ts';
import { memoryInput } from '../input.ts';
import { cloudInitOutputSource } from './cloud-init-output.ts';
import { sourceSuite } from './source.suite.ts';

const LOG = `Cloud-init v. 22.2.2-0ubuntu1~20.04.3 running 'init-local' at Tue, 17 Nov 2026 10:00:11 +0000. Up 11.06 seconds.
Cloud-init v. 22.2.2-0ubuntu1~20.04.3 running 'init' at Tue, 17 Nov 2026 10:00:15 +0000. Up 15.02 seconds.
ci-info: +++++++++++++++++Net device info+++++++++++++++++
ci-info: |  eth0  | True |  10.0.0.4  | 255.255.255.0 |
Cloud-init v. 22.2.2-0ubuntu1~20.04.3 running 'modules:config' at Tue, 17 Nov 2026 10:00:19 +0000. Up 18.77 seconds.
Cloud-init v. 22.2.2-0ubuntu1~20.04.3 running 'modules:final' at Tue, 17 Nov 2026 10:00:22 +0000. Up 22.31 seconds.
Reading package lists...
0 upgraded, 3 newly installed, 0 to remove and 12 not upgraded.
Cloud-init v. 22.2.2-0ubuntu1~20.04.3 finished at Tue, 17 Nov 2026 10:01:35 +0000. Datasource DataSourceAzure [seed=/dev/sr0].  Up 95.36 seconds
`;

sourceSuite(cloudInitOutputSource, LOG);

test('gives the last stage, when cloud-init started and finished, and no invented durations', async () => {
  const { code, stdout, stderr } = await run(['boot', 'timeline', '-'], { stdin: LOG });
  expect(code).toBe(0);
  expect(stdout).toMatch(/11\.060s .*cloud-init-started/);
  expect(stdout).toMatch(/22\.310s +1min 13\.050s .*modules-final/);
  expect(stdout).not.toMatch(/init-network|modules-config/);
  expect(stderr.replace(/\s+/g, ' ')).toContain('not when they ended: init-local at 11.060s, init-network at 15.020s');
});

test('a log of several boots has one piece of evidence for each, with its own kernel start', () => {
  const next = LOG.replaceAll('17 Nov', '18 Nov');
  const found = cloudInitOutputSource.parse(memoryInput('x', LOG + next));
  expect(found.map(({ name, milestones }) => [name, milestones.length])).toEqual([
    ['line 1', 2],
    ['line 10', 2],
  ]);
});
