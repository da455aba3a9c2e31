import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openInputs } from '../../../boot/load/open-inputs.ts';
import { run } from '../../testing.ts';

const FIXTURES = join(import.meta.dirname, '../../../boot/fixtures');
const boot = (verb: string, ...more: string[]) => run(['boot', 'systemd', ...verb.split(' '), ...more]);

describe.each(['first-boot', 'clone-boot'])('the recorded %s', (name) => {
  const archive = join(FIXTURES, 'boots', `${name}.tar.gz`);
  /** The inputs without the real tool's answers, which must not be needed to give them. */
  let inputs = '';
  const answers = new Map<string, string>();

  beforeAll(async () => {
    inputs = mkdtempSync(join(tmpdir(), 'headstart-'));
    const groups = await openInputs(archive, () => new Uint8Array());
    for (const input of groups.flatMap((group) => group.inputs)) {
      const [folder, file = ''] = input.name.split('/').slice(-2);
      if (folder === 'cloud') continue; // cloud-init's own answers, of the same names
      if (file.startsWith('analyze-')) answers.set(file, new TextDecoder().decode(input.bytes()));
      else if (/^(systemctl-|uname|os-release|hostname)/.test(file)) writeFileSync(join(inputs, file), input.bytes());
    }
  });
  afterAll(() => rmSync(inputs, { recursive: true }));

  test.each([
    ['time', 'analyze-time.txt'],
    ['blame', 'analyze-blame.txt'],
    ['critical-chain', 'analyze-critical-chain.txt'],
    ['critical-chain basic.target', 'analyze-critical-chain.basic.target.txt'],
    ['critical-chain cloud-final.service', 'analyze-critical-chain.cloud-final.service.txt'],
    ['critical-chain cloud-init.target', 'analyze-critical-chain.cloud-init.target.txt'],
    ['critical-chain node-agent.service', 'analyze-critical-chain.node-agent.service.txt'],
    ['critical-chain ssh.service', 'analyze-critical-chain.ssh.service.txt'],
    ['critical-chain --fuzz=5s multi-user.target', 'analyze-critical-chain.multi-user.target.fuzz5s.txt'],
    ['dot', 'analyze-dot.dot'],
    ['dot --order', 'analyze-dot-order.dot'],
  ])('systemd-analyze %s is answered byte for byte from the inputs alone', async (verb, file) => {
    const { code, stdout } = await boot(verb, '--compat=252', '-i', inputs);
    expect(stdout).toBe(answers.get(file));
    expect(code).toBe(0);
  });

  test('systemd-analyze plot is drawn byte for byte, given the whole archive', async () => {
    const { stdout } = await boot('plot', '--compat=252', '-i', archive);
    expect(stdout).toBe(answers.get('analyze-plot.svg'));
  });
});

test('--compat before a unit is still --compat and a unit', async () => {
  const model = join(FIXTURES, 'models/r00');
  const { stdout } = await boot('critical-chain --compat multi-user.target', '-i', model);
  expect(stdout).toMatch(/\n\nmulti-user\.target @/);
});

test('the seeds’ own listings come back as they were pasted, with waits named', async () => {
  const { stdout } = await boot('critical-chain', '-i', join(FIXTURES, 'seeds/preprovisioned.critical-chain.txt'));
  expect(stdout).toContain(
    '└─cloud-init-local.service @2.504s +16min 40.410s [wait: platform: pre-provisioned VM parked until it is claimed]\n',
  );
  expect(stdout.split('\n')).toHaveLength(19);
});

test.each([
  ['time', 'SystemdTime', 'phases'],
  ['blame', 'SystemdBlame', 'units'],
  ['critical-chain', 'SystemdCriticalChain', 'chains'],
  ['plot', 'SystemdPlot', 'units'],
  ['dot', 'SystemdDot', 'edges'],
])('%s --json is one document of kind %s', async (verb, kind, field) => {
  const { stdout, code } = await boot(`${verb} --json`, '-i', join(FIXTURES, 'models/initrd'));
  const document = JSON.parse(stdout);
  expect(document).toMatchObject({ apiVersion: 'headstart.dev/v1', kind });
  expect(document[field].length).toBeGreaterThan(0);
  expect(code).toBe(0);
});

test('plot --compat --json prints the real tool’s rows', async () => {
  const { stdout } = await boot('plot --compat --json=short --no-legend', '-i', join(FIXTURES, 'models/initrd'));
  expect(JSON.parse(stdout)[0]).toMatchObject({ name: 'u09-net.mount', activating: expect.any(Number) });
});

test.each([
  ['critical-chain nosuch.service', 'boot/unknown-unit'],
  ['critical-chain --fuzz=soon', 'boot/bad-span'],
  ['time --compat=12', 'boot/compat-version'],
  ['plot --scale-svg=-1', 'boot/bad-option'],
])('%s is refused with a code and a next step', async (verb, code) => {
  const ran = await boot(verb, '-i', join(FIXTURES, 'models/r00'));
  expect(ran).toMatchObject({ code: 2, stdout: '' });
  expect(ran.stderr).toMatch(/^error: .*\n(.*\n)?next: {2}.*\ncode: {2}/);
  expect(ran.stderr).toContain(code);
});

test('edge case 34: an unfinished boot exits 1 in compat and is answered otherwise', async () => {
  const input = join(FIXTURES, 'systemd/unfinished');
  expect((await boot('time --compat=252', '-i', input)).code).toBe(1);
  const { code, stdout } = await boot('time', '-i', input);
  expect(code).toBe(0);
  expect(stdout).toContain('Startup has not finished, so far');
});

test('where the real tool dies of an assertion, compat says one line and exits 1, and the default answers', async () => {
  const input = join(FIXTURES, 'systemd/container-assertion');
  const ran = await boot('blame --compat=252', '-i', input);
  expect(ran).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/^[^\n]+\n$/) });
  expect((await boot('blame', '-i', input)).code).toBe(0);
});

test('dot tells its legend on stderr', async () => {
  const { stderr } = await boot('dot --compat=252', '-i', join(FIXTURES, 'models/r00'));
  expect(stderr).toContain('Color legend: black     = Requires\n');
});

test('a folder with the two `systemctl show` texts is an input', async () => {
  const model = join(FIXTURES, 'models/r03');
  const { stdout } = await boot('critical-chain --compat=252', '-i', model);
  expect(stdout).toBe(readFileSync(join(model, 'expected.critical-chain.txt'), 'utf8'));
});

test('a chain from an input without orderings is not passed off as the whole story', async () => {
  const { stdout, stderr } = await boot('critical-chain', '-i', join(FIXTURES, 'models/initrd/expected.plot.svg'));
  expect(stdout).toMatch(/\n\ngraphical\.target @25\.56\ds\n$/);
  expect(stderr).toContain('nothing given says what graphical.target was ordered after');
});

test('options may stand before the verb, and no verb means time, as with systemd-analyze', async () => {
  const model = join(FIXTURES, 'models/r00');
  const expected = (file: string) => readFileSync(join(model, file), 'utf8');
  const chain = await run(['boot', 'systemd', '--fuzz', '1s', '--compat=252', '-i', model, 'critical-chain']);
  expect(chain.stdout).toBe(expected('expected.critical-chain.fuzz1s.txt'));
  const time = await run(['boot', 'systemd', '--compat=252', '-i', model]);
  expect(time.stdout).toBe(expected('expected.time.txt'));
  expect((await run(['boot', 'systemd', '--help'])).stdout).toContain('critical-chain');
});

test('of several boots the last is answered for, and that is said', async () => {
  const archives = ['first-boot', 'clone-boot'].flatMap((name) => ['-i', join(FIXTURES, 'boots', `${name}.tar.gz`)]);
  const last = await boot('time', ...archives);
  expect(last.stderr).toBe('note: the last of 2 boots; --boot -1 is the one before\n');
  const before = await boot('time', '--boot', '-1', ...archives);
  expect(before.stderr).toBe('');
  expect(before.stdout).not.toBe(last.stdout);
});
