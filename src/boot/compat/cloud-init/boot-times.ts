// boot/compat/cloud-init/boot-times.ts: when did the kernel start and end, and when was cloud-init activated and started?
import { CONTAINERS } from '../../model/phases.ts';
import type { BootRecord, Milestone } from '../../model/record.ts';
import { zeroOf } from './clock-ticks.ts';
import type { CloudInitBoot } from './stages.ts';

export interface CloudInitBootTimes {
  host: 'machine' | 'container';
  /** For a container: when its init started, because its kernel is the host's. */
  kernelStart: BootInstant | UnknownInstant;
  /** When the kernel started the first process of userspace. */
  kernelEnd: BootInstant | UnknownInstant;
  /** When systemd started the first unit of cloud-init. */
  activated: BootInstant | UnknownInstant;
  /** The first line of cloud-init in its log. */
  started: BootInstant | UnknownInstant;
}

export interface BootInstant {
  /** µs since 1970. */
  atUs: number;
  /** Exact to ± this; absent: as exact as its source. */
  errorUs?: number;
  /** µs on the machine's monotonic clock, if the source has it: differences of these are exact. */
  monotonicUs?: number;
}

export interface UnknownInstant {
  unknown: string;
}

/**
 * `cloud-init analyze boot` computes kernel start as now − uptime when it runs. But `now` depends on later clock changes: a time
 * service that corrects the clock by two seconds after boot moves kernel start, and everything derived from it, by two seconds, and
 * drift moves it further every day. systemd records the wall clock and the monotonic clock at the same moment early in boot
 * (KernelTimestamp), and the journal does so for each entry. These pairs do not change; the record's clock is derived from them.
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
    kernelStart: startUs === undefined ? { unknown: 'no source has the start of userspace' } : at(startUs),
    kernelEnd: userspaceUs
      ? atLeastAsVague(at(userspaceUs), manager?.userspaceUs ? undefined : userspace?.errorUs)
      : { unknown: 'neither systemd nor the kernel log has the start of userspace' },
    activated:
      activatedUs === undefined
        ? { unknown: 'no unit times: not systemd, or `systemctl show` was not given' }
        : at(activatedUs),
    started: startedInstant(record, log),
  };
}

/** In a kernel log, the start of userspace is only known to be between two lines. */
function atLeastAsVague(instant: BootInstant | UnknownInstant, errorUs = 0): BootInstant | UnknownInstant {
  if ('unknown' in instant || errorUs <= (instant.errorUs ?? 0)) return instant;
  return { ...instant, errorUs };
}

/** From 24.3 on, one process (cloud-init-main) runs all stages and starts before the unit of the first stage. */
export function activationUs(record: BootRecord): number | undefined {
  let earliest: number | undefined;
  for (const unit of record.units) {
    if (unit.name !== 'cloud-init-local.service' && unit.name !== 'cloud-init-main.service') continue;
    if (unit.activatingUs > 0 && (earliest === undefined || unit.activatingUs < earliest)) earliest = unit.activatingUs;
  }
  return earliest ?? milestoneUs(record, 'cloud-init-activated');
}

export function isContainerHost(record: BootRecord): boolean {
  if (record.host.virtualization !== undefined) return CONTAINERS.test(record.host.virtualization);
  // systemd does not set up security modules in a container.
  return record.manager !== undefined && record.manager.userspaceUs > 0 && record.manager.securityStartUs === 0;
}

function zeroInstant(record: BootRecord | undefined, log: CloudInitBoot | undefined): BootInstant | UnknownInstant {
  if (record?.clock.zero === 'kernel' && record.clock.wallAtZeroUs !== undefined) {
    const { wallAtZeroUs: atUs, errorUs } = record.clock;
    return errorUs === undefined ? { atUs } : { atUs, errorUs };
  }
  const range = log && zeroOf(log);
  if (!range) return { unknown: 'no source relates the uptime to the wall clock' };
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

/** The boot in the log that matches this record by kernel start; else the last boot. */
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
