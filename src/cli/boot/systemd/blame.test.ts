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

test('--compat --json prints the rows of the real tool, without a value in the short form', async () => {
  const blame = (options: string) => boot(`blame ${options}`, '-i', join(FIXTURES, 'models/initrd'));
  const short = await blame('--compat=262 --json=short');
  expect(JSON.parse(short.stdout)[0]).toEqual({ time: 25_183_815, unit: 'u03-disk.service' });
  expect(await blame('--compat=262 --json')).toEqual(short);
  expect((await blame('--compat=262 --json=pretty')).stdout).toContain('\t\t"time" : 25183815,\n');
  expect((await blame('--compat=262 --json=off')).stdout).toBe((await blame('--compat=262')).stdout);
  expect(await blame('--compat=259 --json=short')).toMatchObject({ code: 1, stdout: '' });
});

test('--json=wide is refused with a next step, which is JSON because JSON was asked for', async () => {
  const { code, stdout } = await boot('blame --json=wide', '-i', join(FIXTURES, 'models/initrd'));
  expect(code).toBe(2);
  expect(JSON.parse(stdout)).toMatchObject({ kind: 'Error', code: 'boot/bad-option', next: expect.any(String) });
});

test('without --compat, --json=short and --json=off mean one document and none', async () => {
  const blame = (options: string) => boot(`blame ${options}`, '-i', join(FIXTURES, 'models/initrd'));
  expect(await blame('--json=short')).toEqual(await blame('--json'));
  expect(await blame('--json=off')).toEqual(await blame('--no-pager'));
});
