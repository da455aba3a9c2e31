import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { run } from '../../testing.ts';
import { boot, describeRecorded, expectDocument, expectRefused, FIXTURES } from './testing.ts';

describeRecorded([
  ['critical-chain', 'analyze-critical-chain.txt'],
  ['critical-chain basic.target', 'analyze-critical-chain.basic.target.txt'],
  ['critical-chain cloud-final.service', 'analyze-critical-chain.cloud-final.service.txt'],
  ['critical-chain cloud-init.target', 'analyze-critical-chain.cloud-init.target.txt'],
  ['critical-chain node-agent.service', 'analyze-critical-chain.node-agent.service.txt'],
  ['critical-chain ssh.service', 'analyze-critical-chain.ssh.service.txt'],
  ['critical-chain --fuzz=5s multi-user.target', 'analyze-critical-chain.multi-user.target.fuzz5s.txt'],
]);

test('--json is one document with the chains', () =>
  expectDocument('critical-chain', 'SystemdCriticalChain', 'chains'));

test.each([
  ['critical-chain nosuch.service', 'boot/unknown-unit'],
  ['critical-chain --fuzz=soon', 'boot/bad-span'],
])('%s is refused with %s and a next step', expectRefused);

test('pasted listings are printed unchanged, with waits added', async () => {
  const { stdout } = await boot('critical-chain', '-i', join(FIXTURES, 'seeds/preprovisioned.critical-chain.txt'));
  expect(stdout).toContain(
    '└─cloud-init-local.service @2.504s +16min 40.410s [wait: platform: pre-provisioned VM parked until it is claimed]\n',
  );
  expect(stdout.split('\n')).toHaveLength(19);
});

test('a folder with the two `systemctl show` texts is an input', async () => {
  const model = join(FIXTURES, 'models/r03');
  const { stdout } = await boot('critical-chain --compat=252', '-i', model);
  expect(stdout).toBe(readFileSync(join(model, 'expected.critical-chain.txt'), 'utf8'));
});

test('a chain from an input without orderings causes a warning', async () => {
  const { stdout, stderr } = await boot('critical-chain', '-i', join(FIXTURES, 'models/initrd/expected.plot.svg'));
  expect(stdout).toMatch(/\n\ngraphical\.target @25\.56\ds\n$/);
  expect(stderr).toContain('the inputs do not say what graphical.target was ordered after');
});

test('options may come before the verb, and the default verb is time, like in systemd-analyze', async () => {
  const model = join(FIXTURES, 'models/r00');
  const expected = (file: string) => readFileSync(join(model, file), 'utf8');
  const chain = await run(['boot', 'systemd', '--fuzz', '1s', '--compat=252', '-i', model, 'critical-chain']);
  expect(chain.stdout).toBe(expected('expected.critical-chain.fuzz1s.txt'));
  const time = await run(['boot', 'systemd', '--compat=252', '-i', model]);
  expect(time.stdout).toBe(expected('expected.time.txt'));
  expect((await run(['boot', 'systemd', '--help'])).stdout).toContain('critical-chain');
});
