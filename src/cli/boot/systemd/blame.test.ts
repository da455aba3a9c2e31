import { join } from 'node:path';
import { expect, test } from 'vitest';
import { boot, describeRecorded, expectDocument, FIXTURES } from './testing.ts';

describeRecorded([['blame', 'analyze-blame.txt']]);

test('--json is one document with the units', () => expectDocument('blame', 'SystemdBlame', 'units'));

test('where the real tool fails an assertion, --compat prints one line and exits 1; without it the verb answers', async () => {
  const input = join(FIXTURES, 'systemd/container-assertion');
  const ran = await boot('blame --compat=252', '-i', input);
  expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) });
  expect((await boot('blame', '-i', input)).code).toBe(0);
});
