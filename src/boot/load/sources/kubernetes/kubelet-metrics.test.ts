import { expect, test } from 'vitest';
import { run } from '../../../../cli/testing.ts';
import { memoryInput } from '../../input.ts';
import { sourceSuite } from '../source.suite.ts';
import { kubeletMetricsSource } from './kubelet-metrics.ts';

const metrics = (values: Record<string, number | string>) =>
  `# HELP kubelet_node_name [ALPHA] The node's name.\n# TYPE kubelet_node_name gauge\nkubelet_node_name{node="n1"} 1\n${Object.entries(
    values,
  )
    .map(([part, value]) => {
      const name = `kubelet_node_startup_${part}duration_seconds`;
      return `# HELP ${name} [ALPHA] Duration in seconds of node startup.\n# TYPE ${name} gauge\n${name} ${value}\n`;
    })
    .join('')}`;
const FULL = metrics({
  '': 47.25,
  post_registration_: 10.5,
  pre_kubelet_: 31.5,
  pre_registration_: 5.1,
  registration_: '1.5e-01',
});
const parse = (text: string) => kubeletMetricsSource.parse(memoryInput('metrics.txt', text));

sourceSuite(kubeletMetricsSource, FULL);

test('gives when kubelet started, registered and was Ready since kernel start, with the error of its boot time', () => {
  const [found] = parse(FULL);
  expect(found!.milestones).toEqual([
    { name: 'kubelet-started', atUs: 31.5e6, errorUs: 1e6, source: 'kubelet' },
    { name: 'node-registered', atUs: 36.75e6, errorUs: 1e6, source: 'kubelet' },
    { name: 'node-ready', atUs: 47.25e6, errorUs: 1e6, source: 'kubelet' },
  ]);
  expect(found!.spans.map(({ id, startUs, endUs }) => [id, endUs - startUs])).toEqual([
    ['kubelet:start', 5.1e6],
    ['kubelet:register', 150_000],
    ['kubelet:become-ready', 10.5e6],
  ]);
});

test('a gauge of 0 was never set: unknown, not an instant', async () => {
  const unset = metrics({ '': 0, post_registration_: 0, pre_kubelet_: 31.5, pre_registration_: 5, registration_: 1 });
  expect(parse(unset)[0]!.milestones.map(({ name }) => name)).toEqual(['kubelet-started', 'node-registered']);
  const { code, stderr } = await run(['boot', 'timeline', '-'], { stdin: metrics({ '': 0, pre_kubelet_: 0 }) });
  expect(code).toBe(2);
  expect(stderr).toContain("looks like kubelet's /metrics, but nothing in it could be read");
});

test('answers how long the node took until Ready', async () => {
  const { code, stdout } = await run(['boot', 'timeline', '-'], { stdin: FULL });
  expect(code).toBe(0);
  expect(stdout).toMatch(/47\.250s .*node-ready +± 1 s/);
  expect(stdout).toContain('47.250s ± 1 s until node-ready');
});
