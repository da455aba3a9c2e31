// boot/model/record.ts: what is known about one boot, on one clock? Every question about a boot is a pure function of this type.

export const BOOT_API_VERSION = 'headstart.dev/v1';

export interface BootRecord {
  apiVersion: typeof BOOT_API_VERSION;
  kind: 'BootRecord';
  /** 32 lower-case hex digits. */
  bootId?: string;
  /** What the document calls this boot, if it contains several: a heading, the unit of a chain, or a line. */
  name?: string;
  host: HostFacts;
  clock: BootClock;
  /** systemd's own stamps; absent if no source has them. */
  manager?: ManagerTimes;
  /** In the order of the source listing, which decides ties when units are printed. */
  units: Unit[];
  /** Everything with a duration that is not a unit: cloud-init, guest agent, extension tasks, kubelet, cluster. */
  spans: Span[];
  milestones: Milestone[];
  /** Of a standby instance, in the record that counts from its claim. */
  claim?: ParkedFacts;
  sources: RecordSource[];
  /** Problems with reading, aligning or trusting an input. Always shown to the user. */
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
  /** As systemd reports it: `qemu`, `microsoft`, `lxc`, `docker` … */
  virtualization?: string;
  systemdVersion?: string;
  cloudInitVersion?: string;
  /** As cloud-init reports it: `azure`, `ec2`, `nocloud` … */
  cloud?: string;
  nodeName?: string;
  kubeletVersion?: string;
}

/** All times of a record are microseconds since `zero`. */
export interface BootClock {
  /**
   * kernel: zero of CLOCK_MONOTONIC · userspace: text with times since userspace only · first-event: logs with wall times only ·
   * claim: when a parked standby instance was claimed.
   */
  zero: 'kernel' | 'userspace' | 'first-event' | 'claim';
  /** Wall clock (µs since 1970 UTC) at zero; absent if no source relates the two clocks. */
  wallAtZeroUs?: number;
  /** `wallAtZeroUs` is precise to ± this. */
  errorUs?: number;
}

/** How a standby instance was kept until it was claimed. */
export interface ParkedFacts {
  pool: string;
  instance: string;
  /** paused: its process stayed · frozen: its memory was in a file. */
  tier: 'paused' | 'frozen';
  /** From when it was parked until the claim, on its host's clock. Part of no total. */
  parkedUs: number;
  /** The guest's monotonic clock when it was parked, which is how long it had run. It stands still until the guest is thawed. */
  ranUs: number;
  /** `ranUs` is exact to ± this. */
  errorUs: number;
}

/** Monotonic µs as systemd reports them; 0 = not set. Firmware and loader count *back* from kernel start. */
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
  /** Up to systemd 261 the shutdown before a soft reboot, since 262 the shutdown of this boot. */
  shutdownStartUs: number;
  softRebootsCount: number;
  /** Since systemd 262: the shutdown before a soft reboot or a live update. */
  previousShutdown?: PreviousShutdown;
}

/** The fields of ManagerTimes that are one number each. */
export type ManagerStamp = Exclude<keyof ManagerTimes, 'previousShutdown'>;

/** Stamps that systemd carried over from the shutdown before this boot; 0 = not set. */
export interface PreviousShutdown {
  startUs: number;
  /** All units are stopped. */
  finishUs: number;
  /** systemd-shutdown starts. */
  lateStartUs: number;
  lateFinishUs: number;
}

export interface Unit {
  /** The Id, with systemd's escapes (`\x2d`). */
  name: string;
  /** Other names (Names= without the Id). */
  aliases?: string[];
  description?: string;
  /** Type= of a service. A `simple` service is active at once, even if it is slow. */
  serviceType?: string;
  loadState?: string;
  activeState?: string;
  /** Result= of a service unless it is `success`. */
  result?: string;
  /** ConditionResult=no: did not run because a condition failed. */
  conditionFailed?: boolean;
  /** The input has only the duration: the stamps below differ by it, and the instant itself means nothing. */
  isStartUnknown?: boolean;
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
  /** Timers, sockets, paths and automounts that start this unit. */
  triggeredBy?: string[];
  /** What this timer, socket, path or automount starts. */
  triggers?: string[];
  used?: UsedResources;
  /** Of a device: how long its start job may wait; absent = for ever, or unknown. */
  jobTimeoutUs?: number;
}

/** What all processes of a unit used, on all CPUs, from its last start until the recording. Absent = not measured. */
export interface UsedResources {
  cpuUs?: number;
  readBytes?: number;
  writtenBytes?: number;
  peakMemoryBytes?: number;
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
  /** Unique in the record: `cloud-init:modules-final/config-runcmd`, with `#2` if it repeats. */
  id: string;
  name: string;
  source: SpanSource;
  /** Id of the containing span. */
  parent?: string;
  /** The unit that did this work, if known. */
  unit?: string;
  startUs: number;
  endUs: number;
  /** Why the node was blocked on something outside it. Absent = work. */
  wait?: string;
  result?: 'ok' | 'warn' | 'fail';
  /** Why it failed, if known: `timed out after 1min 30s`. */
  failure?: string;
  /** The timer, socket, path or device that started this unit, if the boot itself did not. */
  startedBy?: string;
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
  'claimed',
  'node-created',
  'thawed',
  'woken',
] as const;
export type MilestoneName = (typeof MILESTONE_NAMES)[number];

export interface Milestone {
  name: MilestoneName;
  atUs: number;
  /** The source's resolution if coarser than a millisecond (a Node's conditions: one second). */
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

export function hasStarted(unit: Unit): boolean {
  return unit.activatingUs > 0;
}

/** Started, at a known instant. */
export function isPlaced(unit: Unit): boolean {
  return hasStarted(unit) && unit.isStartUnknown !== true;
}

/** Same rule as systemd: until the unit was active, else until it failed, else unknown (0). */
export function startTookUs(unit: Unit): number {
  if (unit.activatedUs >= unit.activatingUs) return unit.activatedUs - unit.activatingUs;
  if (unit.deactivatedUs >= unit.activatingUs) return unit.deactivatedUs - unit.activatingUs;
  return 0;
}

export function moveUnit(unit: Unit, shift: (us: number) => number): Unit {
  const move = (us: number) => (us === 0 ? 0 : shift(us)); // 0 means never, on every clock
  return {
    ...unit,
    activatingUs: move(unit.activatingUs),
    activatedUs: move(unit.activatedUs),
    deactivatingUs: move(unit.deactivatingUs),
    deactivatedUs: move(unit.deactivatedUs),
  };
}
