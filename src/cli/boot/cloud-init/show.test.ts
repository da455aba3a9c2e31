import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { stageLog } from '../../../boot/compat/cloud-init/testing.ts';
import { runVerb } from '../../testing.ts';
import { verb as show } from './show.ts';

const golden = fileURLToPath(new URL('../../../boot/fixtures/boots/first-boot.tar.gz', import.meta.url));
const log = stageLog('init-local', 0) + stageLog('init-network', 10);

it('show finds the log in an archive by its content', async () => {
  const { stdout, code } = await runVerb(show, ['-i', golden]);
  expect(code).toBe(0);
  expect(stdout).toContain('|`->config-scripts-user ran successfully @36.77000s +14.66800s\n');
  expect(stdout).toContain('Total Time: 29.19900 seconds\n\n1 boot records analyzed\n');
});

it('show accepts any format string', async () => {
  const { stdout } = await runVerb(show, ['-i', '-', '-f', '%n %d %l {} %T %q'], { stdin: log });
  expect(stdout).toContain('init-local/config-a 02.00000 DEBUG {} 02.00000 %q\n');
});

it('edge case 18: an empty list is one empty record', async () => {
  const { stdout, code } = await runVerb(show, ['-i', '-', '--compat'], { stdin: '[]' });
  expect(code).toBe(0);
  expect(stdout).toContain('Total Time: 0.00000 seconds\n\n1 boot records analyzed\n');
});

it('--json has the total of each boot only', async () => {
  const { stdout } = await runVerb(show, ['-i', '-', '--json'], { stdin: log });
  const { boots } = JSON.parse(stdout) as { boots: { totalUs: number; stages: unknown[] }[] };
  expect(boots).toHaveLength(1);
  expect(boots[0]!.totalUs).toBeGreaterThan(0);
});
