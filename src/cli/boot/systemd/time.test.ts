import { join } from 'node:path';
import { expect, test } from 'vitest';
import { boot, describeRecorded, expectDocument, FIXTURES } from './testing.ts';

describeRecorded([['time', 'analyze-time.txt']]);

test('--json is one document with the phases', () => expectDocument('time', 'SystemdTime', 'phases'));

test('edge case 34: an unfinished boot exits 1 with --compat, and is shown otherwise', async () => {
  const input = join(FIXTURES, 'systemd/unfinished');
  expect((await boot('time --compat=252', '-i', input)).code).toBe(1);
  const { code, stdout } = await boot('time', '-i', input);
  expect(code).toBe(0);
  expect(stdout).toContain('Startup has not finished, so far');
});

test('of several boots the last is shown, with a note', async () => {
  const archives = ['first-boot', 'clone-boot'].flatMap((name) => ['-i', join(FIXTURES, 'boots', `${name}.tar.gz`)]);
  const last = await boot('time', ...archives);
  expect(last.stderr).toBe('note: showing the last of 2 boots; --boot -1 shows the one before\n');
  const before = await boot('time', '--boot', '-1', ...archives);
  expect(before.stderr).toBe('');
  expect(before.stdout).not.toBe(last.stdout);
});
