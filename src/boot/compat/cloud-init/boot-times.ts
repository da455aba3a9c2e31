// boot/compat/cloud-init/boot-times.ts: when did the kernel start and end, and when was cloud-init activated and started?
import type { BootRecord, Milestone } from '../../model/record.ts';
import { zeroOf } from './clock-ticks.ts';
import type { CloudInitBoot } from './stages.ts';

export interface CloudInitBootTimes {
  host: 'machine' | 'container';
  /** Of a container: when its init was started; its kernel is the host's. */
  kernelStart: BootInstant | UnknownInstant;
  /** The kernel hands over to the first process of userspace. */
  kernelEnd: BootInstant | UnknownInstant;
  /** systemd starts the first unit of cloud-init. */
  activated: BootInstant | UnknownInstant;
  /** cloud-init's first line in its log. */
  started: BootInstant | UnknownInstant;
}

export interface BootInstant {
  /** µs since 1970. */
  atUs: number;
  /** Known to lie within ± this; absent: as exact as its source. */
  errorUs?: number;
  /** µs since the machine's monotonic zero, where the source counts on that clock: differences of these are exact. */
  monotonicUs?: number;
}

export interface UnknownInstant {
  unknown: string;
}

/**
 * The formula of 2019 was kernel start = now − uptime, both read when the question is asked. Uptime runs on its own, `now` is
 * whatever the clock was last set to: a time service that corrects the clock by two seconds after boot moves kernel start, and all
 * that is added to it, by two seconds; asked again tomorrow it moves by the drift. systemd notes the wall clock and the monotonic
 * clock at the same moment early in boot (KernelTimestamp), and the journal does so for each entry: those pairs stay put, and the record's clock is made from them.
 */
export function bootTimes(record: BootRecord | undefined, log: CloudInitBoot | undefined): CloudInitBootTimes {
  const host = record && isContainerHost(record) ? 'container' : 'machine';
  const zero = zeroInstant(record, log);
  const at = (monotonicUs: number): BootInstant | UnknownInstant => {
    if ('unknown' in zero) return zero;
    return { ...zero, atUs: zero.atUs + monotonicUs, monotonicUs };
  };
  const manager = record?.manager;
  const userspace = record && milestone(record, 'userspace');
  const userspaceUs = manager?.userspaceUs || userspace?.atUs;
  const startUs = host === 'container' ? userspaceUs : (manager?.kernelUs ?? 0);
  const activatedUs = record && activationUs(record);
  return {
    host,
    kernelStart: startUs === undefined ? { unknown: 'no source tells when userspace began' } : at(startUs),
    kernelEnd: userspaceUs
      ? atLeastAsVague(at(userspaceUs), manager?.userspaceUs ? undefined : userspace?.errorUs)
      : { unknown: 'neither systemd nor the kernel log tells when userspace began' },
    activated:
      activatedUs === undefined
        ? { unknown: 'no unit times: not systemd, or `systemctl show` was not given' }
        : at(activatedUs),
    started: startedInstant(record, log),
  };
}

/** A kernel log only tells between which two lines userspace began. */
function atLeastAsVague(instant: BootInstant | UnknownInstant, errorUs = 0): BootInstant | UnknownInstant {
  if ('unknown' in instant || errorUs <= (instant.errorUs ?? 0)) return instant;
  return { ...instant, errorUs };
}

/** From 24.3 one process, cloud-init-main, serves all stages and is there before the unit of the first one asks it to begin. */
export function activationUs(record: BootRecord): number | undefined {
  let earliest: number | undefined;
  for (const unit of record.units) {
    if (unit.name !== 'cloud-init-local.service' && unit.name !== 'cloud-init-main.service') continue;
    if (unit.activatingUs > 0 && (earliest === undefined || unit.activatingUs < earliest)) earliest = unit.activatingUs;
  }
  return earliest ?? milestoneUs(record, 'cloud-init-activated');
}

const CONTAINERS =
  /^(?:lxc|lxc-libvirt|docker|podman|systemd-nspawn|openvz|rkt|wsl|proot|pouch|container-other|containerd|kata)$/;

export function isContainerHost(record: BootRecord): boolean {
  if (record.host.virtualization !== undefined) return CONTAINERS.test(record.host.virtualization);
  // systemd sets up security modules only where it owns the kernel.
  return record.manager !== undefined && record.manager.userspaceUs > 0 && record.manager.securityStartUs === 0;
}

function zeroInstant(record: BootRecord | undefined, log: CloudInitBoot | undefined): BootInstant | UnknownInstant {
  if (record?.clock.zero === 'kernel' && record.clock.wallAtZeroUs !== undefined) {
    const { wallAtZeroUs: atUs, errorUs } = record.clock;
    return errorUs === undefined ? { atUs } : { atUs, errorUs };
  }
  const range = log && zeroOf(log);
  if (!range) return { unknown: 'no source ties the uptime to the wall clock' };
  const atUs = Math.round((range.fromUs + range.toUs) / 2);
  return { atUs, errorUs: Math.ceil((range.toUs - range.fromUs) / 2) };
}

function startedInstant(record: BootRecord | undefined, log: CloudInitBoot | undefined): BootInstant | UnknownInstant {
  const stage =
    log?.steps.findLast((step) => step.name === 'init-local' && step.startUs !== undefined) ??
    log?.steps.find((step) => step.depth === 0 && step.startUs !== undefined);
  if (stage) return { atUs: stage.startUs! };
  const startedUs = record && milestoneUs(record, 'cloud-init-started');
  if (startedUs !== undefined && record?.clock.wallAtZeroUs !== undefined) {
    return { atUs: record.clock.wallAtZeroUs + startedUs, monotonicUs: startedUs };
  }
  return { unknown: 'no init-local line in the cloud-init log' };
}

function milestoneUs(record: BootRecord, name: Milestone['name']): number | undefined {
  return milestone(record, name)?.atUs;
}

function milestone(record: BootRecord, name: Milestone['name']): Milestone | undefined {
  return record.clock.zero === 'kernel' ? record.milestones.find((reached) => reached.name === name) : undefined;
}

/** Of several boots in one log the one that this record is of: the kernel started at the same time; else the last. */
export function logOf(record: BootRecord | undefined, boots: Iterable<CloudInitBoot>): CloudInitBoot | undefined {
  const zeroUs = record?.clock.zero === 'kernel' ? record.clock.wallAtZeroUs : undefined;
  let best: CloudInitBoot | undefined;
  let bestUs = Number.POSITIVE_INFINITY;
  for (const boot of boots) {
    const range = zeroUs === undefined ? undefined : zeroOf(boot);
    const apartUs = range ? Math.abs((range.fromUs + range.toUs) / 2 - zeroUs!) : Number.POSITIVE_INFINITY;
    if (apartUs > bestUs) continue;
    best = boot;
    bestUs = apartUs;
  }
  return best;
}
