// boot/model/record.ts: what is known about one boot, on one clock? Every answer in this folder is a pure function of this type.

export const BOOT_API_VERSION = 'headstart.dev/v1';

export interface BootRecord {
  apiVersion: typeof BOOT_API_VERSION;
  kind: 'BootRecord';
  /** 32 lower-case hex digits. */
  bootId?: string;
  host: HostFacts;
  clock: BootClock;
  /** systemd's own stamps, absent when no source told them. */
  manager?: ManagerTimes;
  /** In the order of the source listing: ties are printed in it. */
  units: Unit[];
  /** Everything timed that is not a unit: cloud-init, guest agent, extension tasks, kubelet, cluster. */
  spans: Span[];
  milestones: Milestone[];
  sources: RecordSource[];
  /** What could not be read, aligned or trusted. Shown to the user, never dropped. */
  notes: Note[];
}

export interface HostFacts {
  hostname?: string;
  machineId?: string;
  vmId?: string;
  /** PRETTY_NAME of os-release, or the Node's osImage. */
  os?: string;
  kernel?: string;
  /** The build part of uname: `#1 SMP …`. */
  kernelBuild?: string;
  architecture?: string;
  /** systemd's word: `qemu`, `microsoft`, `lxc`, `docker` … */
  virtualization?: string;
  systemdVersion?: string;
  cloudInitVersion?: string;
  /** cloud-init's word for where it runs: `azure`, `ec2`, `nocloud` … */
  cloud?: string;
  nodeName?: string;
  kubeletVersion?: string;
}

/** All times of a record are microseconds since `zero`. */
export interface BootClock {
  /** kernel: CLOCK_MONOTONIC's zero · userspace: text that only knows "in userspace" · first-event: logs with wall times only. */
  zero: 'kernel' | 'userspace' | 'first-event';
  /** Wall clock (µs since 1970 UTC) at zero; absent when no source ties the two clocks. */
  wallAtZeroUs?: number;
  /** The wall clock at zero is known to lie within ± this. */
  errorUs?: number;
}

/** Monotonic µs as the manager gives them; 0 = not set. Firmware and loader count *back* from kernel start. */
export interface ManagerTimes {
  firmwareUs: number;
  loaderUs: number;
  kernelUs: number;
  initrdUs: number;
  userspaceUs: number;
  finishUs: number;
  securityStartUs: number;
  securityFinishUs: number;
  generatorsStartUs: number;
  generatorsFinishUs: number;
  unitsLoadStartUs: number;
  unitsLoadFinishUs: number;
  initrdSecurityStartUs: number;
  initrdSecurityFinishUs: number;
  initrdGeneratorsStartUs: number;
  initrdGeneratorsFinishUs: number;
  initrdUnitsLoadStartUs: number;
  initrdUnitsLoadFinishUs: number;
  shutdownStartUs: number;
  softRebootsCount: number;
}

export interface Unit {
  /** The Id; escapes such as `\x2d` are kept as systemd writes them. */
  name: string;
  /** Other names (Names= without the Id). */
  aliases?: string[];
  description?: string;
  /** Type= of a service: a `simple` one is active at once however slow it is. */
  serviceType?: string;
  loadState?: string;
  activeState?: string;
  /** Result= of a service, `success` left out. */
  result?: string;
  /** ConditionResult=no: never ran because a condition failed. */
  conditionFailed?: boolean;
  /** InactiveExit, ActiveEnter, ActiveExit, InactiveEnter in monotonic µs; 0 = never. */
  activatingUs: number;
  activatedUs: number;
  deactivatingUs: number;
  deactivatedUs: number;
  after: string[];
  before?: string[];
  requires?: string[];
  requisite?: string[];
  bindsTo?: string[];
  wants?: string[];
  conflicts?: string[];
  upholds?: string[];
}

export type SpanSource =
  | 'platform'
  | 'firmware'
  | 'loader'
  | 'kernel'
  | 'initrd'
  | 'systemd'
  | 'cloud-init'
  | 'guest-agent'
  | 'extension'
  | 'node-config'
  | 'kubelet'
  | 'cluster';

export interface Span {
  /** Unique in the record: `cloud-init:modules-final/config-runcmd`, with `#2` on a repeat. */
  id: string;
  name: string;
  source: SpanSource;
  /** Id of the span this one is inside of. */
  parent?: string;
  /** The unit that did this work, where the source says. */
  unit?: string;
  startUs: number;
  endUs: number;
  /** Present when the node was blocked on something outside it: the reason. Absent = work. */
  wait?: string;
  result?: 'ok' | 'warn' | 'fail';
  detail?: string;
}

export const MILESTONE_NAMES = [
  'vm-created',
  'kernel-start',
  'userspace',
  'network-online',
  'cloud-init-activated',
  'cloud-init-started',
  'cloud-init-finished',
  'platform-ready',
  'guest-agent-started',
  'extension-started',
  'kubelet-started',
  'node-registered',
  'node-ready',
  'pod-running',
  'startup-finished',
] as const;
export type MilestoneName = (typeof MILESTONE_NAMES)[number];

export interface Milestone {
  name: MilestoneName;
  atUs: number;
  /** The source's own resolution, when coarser than a millisecond (a Node's conditions: one second). */
  errorUs?: number;
  source: SpanSource;
  detail?: string;
}

export interface RecordSource {
  kind: string;
  input: string;
}

export interface Note {
  level: 'info' | 'warning';
  text: string;
}

/** Started and finished starting, or failed while starting: there is a duration to speak of. */
export function hasStarted(unit: Unit): boolean {
  return unit.activatingUs > 0;
}

/** How long a unit took to start, by systemd's own rule: until active, else until it failed, else unknown (0). */
export function startTookUs(unit: Unit): number {
  if (unit.activatedUs >= unit.activatingUs) return unit.activatedUs - unit.activatingUs;
  if (unit.deactivatedUs >= unit.activatingUs) return unit.deactivatedUs - unit.activatingUs;
  return 0;
}

/** The same unit with its stamps on another clock. */
export function moveUnit(unit: Unit, shift: (us: number) => number): Unit {
  const move = (us: number) => (us === 0 ? 0 : shift(us)); // 0 = never, on every clock
  return {
    ...unit,
    activatingUs: move(unit.activatingUs),
    activatedUs: move(unit.activatedUs),
    deactivatingUs: move(unit.deactivatingUs),
    deactivatedUs: move(unit.deactivatedUs),
  };
}
