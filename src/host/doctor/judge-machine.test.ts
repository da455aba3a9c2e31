import { describe, expect, it } from 'vitest';
import { CAPABILITY_NAMES, type Capability, judgeMachine } from './judge-machine.ts';
import type { MachineFacts, ProgramFact } from './machine-facts.ts';

const there = (program: string, of = program): ProgramFact => ({ program, package: of, isThere: true });
const gone = (program: string, of = program): ProgramFact => ({ program, package: of, isThere: false });
const found = { isThere: true, detail: 'found' } as const;

/** A machine that has everything. */
const WHOLE: MachineFacts = {
  platform: 'linux',
  arch: 'x64',
  isRoot: false,
  node: '24.21.0',
  hasApt: true,
  hasSystemd: true,
  programs: {
    boot: [there('xz'), there('ssh')],
    pool: [there('qemu-img', 'qemu-utils')],
    base: [there('mmdebstrap')],
    image: [there('lz4')],
    user: [there('newuidmap', 'uidmap')],
    node: [there('systemctl')],
  },
  hasKubelet: true,
  kvm: 'usable',
  kvmTestBoot: 'kvm',
  hasFirmware: true,
  unbuiltPrograms: [],
  go: found,
  kubeconfig: found,
  azureSettings: found,
  azureLogin: found,
};

function lacksOf(capability: Capability, facts: Partial<MachineFacts>) {
  const [verdict] = judgeMachine([capability], { ...WHOLE, ...facts });
  return { state: verdict!.state, lacks: verdict!.checks.filter(({ isThere }) => !isThere) };
}

describe('a machine that has everything', () => {
  it('is ready for each capability, in the order of the table', () => {
    const verdicts = judgeMachine([...CAPABILITY_NAMES].reverse(), { ...WHOLE, isRoot: true });
    expect(verdicts.map(({ capability, state }) => [capability, state])).toEqual(
      CAPABILITY_NAMES.map((name) => [name, 'ready']),
    );
    expect(verdicts.flatMap(({ checks }) => checks).filter(({ fix }) => fix !== undefined)).toEqual([]);
  });

  it('is judged only for what is asked', () => {
    expect(judgeMachine(['kvm', 'boot'], WHOLE).map(({ capability }) => capability)).toEqual(['boot', 'kvm']);
  });
});

describe('every lack', () => {
  const nothing: MachineFacts = {
    ...WHOLE,
    ...{ platform: 'darwin', arch: 'arm64', node: '22.1.0', hasApt: false, hasSystemd: false, hasKubelet: false },
    ...{ kvm: 'absent', kvmTestBoot: undefined, hasFirmware: false, unbuiltPrograms: ['etcd'] },
    programs: {
      boot: [gone('xz')],
      pool: [gone('qemu-img')],
      base: [gone('lz4')],
      image: [gone('lz4')],
      user: [gone('newuidmap')],
      node: [gone('systemctl')],
    },
    ...{ go: missing('go'), kubeconfig: missing('k'), azureSettings: missing('s'), azureLogin: missing('l') },
  };
  it.each(CAPABILITY_NAMES)('of %s says what to do about it', (name) => {
    const [verdict] = judgeMachine([name], nothing);
    expect(verdict!.state).toBe('missing');
    const lacks = verdict!.checks.filter(({ isThere }) => !isThere);
    expect(lacks.filter(({ fix }) => !fix)).toEqual([]);
    expect(lacks.length).toBeGreaterThan(0);
  });
});

describe('missing programs', () => {
  const programs = {
    ...WHOLE.programs,
    pool: [gone('qemu-img', 'qemu-utils'), gone('flock', 'util-linux'), there('x')],
  };

  it('that are required are one lack with one command, with sudo for users other than root', () => {
    expect(lacksOf('pool', { programs })).toEqual({
      state: 'missing',
      lacks: [
        {
          what: 'programs',
          isThere: false,
          isRequired: true,
          detail: 'qemu-img, flock',
          fix: 'sudo apt-get install --yes --no-install-recommends qemu-utils util-linux',
        },
      ],
    });
    expect(lacksOf('pool', { programs, isRoot: true }).lacks[0]!.fix).toMatch(/^apt-get install /);
  });

  it('are named by their Debian packages where there is no apt', () => {
    expect(lacksOf('pool', { programs, hasApt: false }).lacks[0]!.fix).toBe(
      'install what Debian calls qemu-utils, util-linux',
    );
  });

  it('of users other than root do not matter to root', () => {
    const own = { ...WHOLE.programs, user: [gone('newuidmap', 'uidmap')] };
    expect(lacksOf('image', { programs: own }).state).toBe('missing');
    expect(lacksOf('image', { programs: own, isRoot: true }).state).toBe('ready');
  });

  it('that are optional are one lack each, and the capability works without them', () => {
    const optional = { ...WHOLE.programs, boot: [gone('xz', 'xz-utils'), gone('ssh'), there('journalctl')] };
    const { state, lacks } = lacksOf('boot', { programs: optional });
    expect({ state, what: lacks.map(({ what }) => what) }).toEqual({ state: 'limited', what: ['xz', 'ssh'] });
    expect(lacks[0]!.fix).toContain('xz-utils');
  });
});

describe('KVM', () => {
  it.each([
    [{ kvm: 'absent' }, 'missing', 'limited', /modprobe/],
    [{ kvm: 'forbidden' }, 'missing', 'limited', /usermod -aG kvm/],
    [{ kvmTestBoot: 'tcg' }, 'missing', 'limited', /nested virtualisation/],
    [{ kvmTestBoot: undefined }, 'limited', 'limited', /headstart pool create/],
    [{ kvmTestBoot: 'kvm' }, 'ready', 'ready', undefined],
  ] as const)('with %j is %s, and pools are %s', (facts, own, pools, fix) => {
    const { state, lacks } = lacksOf('kvm', facts);
    expect({ own: state, pools: lacksOf('pool', facts).state }).toEqual({ own, pools });
    if (fix) expect(lacks[0]!.fix).toMatch(fix);
  });
});

describe('a cluster on this machine', () => {
  const go = missing('Go 1.19 is too old');
  it('needs Go only while its programs are not built', () => {
    expect(lacksOf('cluster', { go }).state).toBe('ready');
    expect(lacksOf('cluster', { go, unbuiltPrograms: ['etcd'] })).toMatchObject({
      state: 'missing',
      lacks: [{ what: 'Go', detail: 'Go 1.19 is too old' }],
    });
  });
});

function missing(detail: string) {
  return { isThere: false, detail, fix: 'do it' } as const;
}
