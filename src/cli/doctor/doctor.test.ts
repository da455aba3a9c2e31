import { describe, expect, it } from 'vitest';
import { run, runVerb, testDeps } from '../testing.ts';
import { doctor } from './doctor.ts';
import { readMachine } from './read-machine.ts';

const env = { HOME: '/nonexistent', PATH: process.env.PATH };

/** This machine, with what the tests decide on. */
const without = (change: object) =>
  doctor(async (asked, options, deps) => ({ ...(await readMachine(asked, options, deps)), ...change }));

const ALL = { platform: 'linux', arch: 'x64', kvm: 'usable', kvmTestBoot: 'kvm' };

describe('headstart doctor', () => {
  it('answers 0 when what is asked for is there, and prints one row and what was found', async () => {
    const { code, stdout } = await runVerb(without(ALL), ['kvm'], { env });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `CAPABILITY  STATE  WHAT
kvm         ready  Run VMs at full speed

kvm
  found: KVM: a test boot succeeded
`,
    });
  });

  it('prints nothing about a capability that nobody named and that lacks nothing', async () => {
    const { stdout } = await runVerb(without(ALL), [], { env });
    expect(stdout).not.toContain('found: ');
    expect(stdout).not.toMatch(/^kvm$/m);
  });

  it('answers 3 when something required is missing, and prints the fix', async () => {
    const { code, stdout } = await runVerb(without({ ...ALL, kvm: 'forbidden' }), ['kvm', 'boot'], { env });
    expect(code).toBe(3);
    expect(stdout).toContain(
      'kvm\n  missing: KVM: /dev/kvm may not be opened by this user\n  fix: sudo usermod -aG kvm "$USER", then log in again\n',
    );
  });

  it('answers 0 when only optional things are missing', async () => {
    const { code, stdout } = await runVerb(without({ ...ALL, hasSystemd: false }), ['boot'], { env });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^boot {8}limited {2}/m);
    expect(stdout).toContain('  optional: systemd: ');
  });

  it('prints the verdicts as JSON with the same exit code', async () => {
    const verb = without({ ...ALL, kvm: 'absent' });
    const { code, stdout } = await runVerb(verb, ['kvm', '--json'], { env });
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 3,
      kind: 'Doctor',
      isReady: false,
      capabilities: [
        { capability: 'kvm', state: 'missing', checks: [{ what: 'KVM', isThere: false, isRequired: true }] },
      ],
    });
  });

  it('names the plugin of kubectl in the fixes when it was called as one', async () => {
    const { ran, deps } = testDeps({ env });
    const named = (text: string) => text.replace('headstart', 'kubectl headstart');
    await without({ hasKubelet: false }).run(['node'], {}, { ...deps, named });
    expect(ran.stdout).toContain('kubectl headstart image build');
  });

  it('refuses a capability that it does not know', async () => {
    const { code, stderr } = await run(['doctor', 'kvn']);
    expect(code).toBe(2);
    expect(stderr).toContain('kvn');
  });
});
