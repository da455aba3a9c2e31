// host/doctor/judge-machine.ts: which capabilities of headstart does a machine have, and what fixes each lack? Pure.
import { installCommand } from '../install-command.ts';
import type { MachineFacts, ProgramFact } from './machine-facts.ts';

export interface CapabilityCheck {
  what: string;
  isThere: boolean;
  /** false: the capability works without it, but not in full. */
  isRequired: boolean;
  detail?: string;
  /** The command that fixes it, or what to do where no single command does. */
  fix?: string;
}

/** `limited`: only optional things are missing. */
export type CapabilityState = 'ready' | 'limited' | 'missing';

export interface CapabilityVerdict {
  capability: Capability;
  about: string;
  state: CapabilityState;
  checks: CapabilityCheck[];
}

interface CapabilityEntry {
  about: string;
  judge(facts: MachineFacts): CapabilityCheck[];
}

/** The order is the one in which they are printed. */
const CAPABILITIES = {
  boot: {
    about: 'Analyse boots, recorded or of this machine',
    judge: (facts) => [
      nodeJs(facts),
      ...programs(facts, facts.programs.boot, 'optional'),
      check('systemd', facts.hasSystemd, 'optional', {
        missing: 'systemd does not run here, so this machine has no boot to analyse; recorded boots work',
        fix: 'headstart boot collect --host USER@HOST',
      }),
    ],
  },
  node: {
    about: 'Configure this machine as a Kubernetes node',
    judge: (facts) => [
      linux(facts, 'run headstart node on a Linux node'),
      check('systemd', facts.hasSystemd, 'required', {
        missing: 'systemd does not run here',
        fix: 'run headstart node on a machine that systemd booted',
      }),
      check('root', facts.isRoot, 'required', {
        missing: 'only root can configure a node',
        fix: 'sudo headstart node apply FILE',
      }),
      ...programs(facts, facts.programs.node),
      check('kubelet', facts.hasKubelet, 'required', {
        missing: 'not on PATH; no package of Debian has it, an image has',
        fix: 'headstart image build',
      }),
    ],
  },
  image: {
    about: 'Build node images',
    judge: (facts) => [
      x64Linux(facts),
      ...programs(facts, [...facts.programs.image, ...usersOwn(facts)]),
      check('UEFI firmware', facts.hasFirmware, 'optional', {
        missing: '`image test` boots an image with it',
        fix: install(facts, ['ovmf']),
      }),
    ],
  },
  pool: {
    about: 'Run pools of VMs on this machine',
    judge: (facts) => [
      x64Linux(facts),
      ...programs(facts, [...facts.programs.pool, ...facts.programs.base, ...usersOwn(facts)]),
      kvm(facts, 'optional'),
    ],
  },
  kvm: {
    about: 'Run VMs at full speed',
    judge: (facts) => [kvm(facts, 'required')],
  },
  cluster: {
    about: 'Run a Kubernetes control plane on this machine',
    judge: (facts) => [
      linux(facts, 'run headstart cluster on Linux'),
      facts.unbuiltPrograms.length === 0
        ? { what: 'programs', isThere: true, isRequired: true, detail: 'built and in the cache' }
        : { what: 'Go', isRequired: true, ...facts.go },
    ],
  },
  kubernetes: {
    about: 'Reach a cluster: prototype, boot collect --node',
    judge: ({ kubeconfig }) => [{ what: 'kubeconfig', isRequired: true, ...kubeconfig }],
  },
  azure: {
    about: 'Manage scale sets and images on Azure',
    judge: ({ azureSettings, azureLogin }) => [
      { what: 'settings', isRequired: true, ...azureSettings },
      { what: 'login', isRequired: true, ...azureLogin },
    ],
  },
} as const satisfies Readonly<Record<string, CapabilityEntry>>;

export type Capability = keyof typeof CAPABILITIES;

export const CAPABILITY_NAMES = Object.keys(CAPABILITIES) as Capability[];

export function judgeMachine(asked: readonly Capability[], facts: MachineFacts): CapabilityVerdict[] {
  return CAPABILITY_NAMES.filter((name) => asked.includes(name)).map((capability) => {
    const { about, judge } = CAPABILITIES[capability] as CapabilityEntry;
    const checks = judge(facts);
    return { capability, about, state: stateOf(checks), checks };
  });
}

function stateOf(checks: readonly CapabilityCheck[]): CapabilityState {
  const lacks = checks.filter(({ isThere }) => !isThere);
  if (lacks.some(({ isRequired }) => isRequired)) return 'missing';
  return lacks.length > 0 ? 'limited' : 'ready';
}

type Weight = 'required' | 'optional';

function check(what: string, isThere: boolean, need: Weight, lack: { missing: string; fix: string }): CapabilityCheck {
  const isRequired = need === 'required';
  return isThere ? { what, isThere, isRequired } : { what, isThere, isRequired, detail: lack.missing, fix: lack.fix };
}

const OLDEST_NODE = 24;

function nodeJs({ node }: MachineFacts): CapabilityCheck {
  return {
    ...check('Node.js', Number(node.split('.')[0]) >= OLDEST_NODE, 'required', {
      missing: '',
      fix: `install Node.js ${OLDEST_NODE} or newer and put it on PATH`,
    }),
    detail: node,
  };
}

function linux({ platform }: MachineFacts, fix: string): CapabilityCheck {
  return check('Linux', platform === 'linux', 'required', { missing: `this machine runs ${platform}`, fix });
}

/** QEMU's machine and the images are x64; no arm64 machine has run them. */
function x64Linux({ platform, arch }: MachineFacts): CapabilityCheck {
  return check('x64 Linux', platform === 'linux' && arch === 'x64', 'required', {
    missing: `this machine is ${arch} ${platform}`,
    fix: 'use an x64 Linux machine with tools of Debian or Ubuntu',
  });
}

const usersOwn = ({ isRoot, programs }: MachineFacts) => (isRoot ? [] : programs.user);

/** Required programs are one check, because one command installs all; each optional one has its own. */
function programs(facts: MachineFacts, wanted: readonly ProgramFact[], need: Weight = 'required'): CapabilityCheck[] {
  const groups = need === 'required' ? [wanted] : wanted.map((one) => [one]);
  return groups.map((group) => {
    const missing = group.filter(({ isThere }) => !isThere);
    const names = [...new Set((missing.length > 0 ? missing : group).map(({ program }) => program))];
    return {
      what: need === 'required' ? 'programs' : names.join(', '),
      isThere: missing.length === 0,
      isRequired: need === 'required',
      ...(need === 'required' && { detail: names.join(', ') }),
      ...(missing.length > 0 && {
        ...(need === 'optional' && { detail: 'the program is not on PATH' }),
        fix: installTools(facts, missing),
      }),
    };
  });
}

function installTools(facts: MachineFacts, missing: readonly ProgramFact[]): string {
  return install(
    facts,
    missing.map((tool) => tool.package),
  );
}

/** Packages have Debian's names, which other systems may not know. */
function install({ hasApt, isRoot }: MachineFacts, packages: readonly string[]): string {
  if (!hasApt) return `install what Debian calls ${[...new Set(packages)].sort().join(', ')}`;
  return `${isRoot ? '' : 'sudo '}${installCommand(packages).join(' ')}`;
}

/** A device that opens proves nothing: some start a guest that never boots. */
function kvm({ kvm: device, kvmTestBoot, isRoot }: MachineFacts, need: Weight): CapabilityCheck {
  const sudo = isRoot ? '' : 'sudo ';
  const lack = (detail: string, fix: string, isRequired = need === 'required'): CapabilityCheck => ({
    ...{ what: 'KVM', isThere: false, isRequired },
    ...{ detail, fix },
  });
  if (device === 'absent')
    return lack(
      'there is no /dev/kvm, so VMs are emulated, which is many times slower',
      `enable virtualisation in the firmware or choose a VM size that has it, then ${sudo}modprobe -a kvm_intel kvm_amd`,
    );
  if (device === 'forbidden')
    return lack('/dev/kvm may not be opened by this user', 'sudo usermod -aG kvm "$USER", then log in again');
  if (kvmTestBoot === 'tcg')
    return lack(
      'a test boot with KVM failed since this machine started, so VMs are emulated',
      'use a machine whose hypervisor supports nested virtualisation',
    );
  if (kvmTestBoot === undefined)
    return lack(
      '/dev/kvm can be opened, but no VM has tested it since this machine started; the first VM of a pool does',
      'headstart pool create NAME',
      false,
    );
  return { what: 'KVM', isThere: true, isRequired: need === 'required', detail: 'a test boot succeeded' };
}
