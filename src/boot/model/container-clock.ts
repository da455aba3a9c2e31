// boot/model/container-clock.ts: what do the times of a container count from? Its kernel is the host's, so systemd counts from the boot of
// the host, while cloud-init reads the uptime that the container manager shows (lxcfs): the time since the container started.
import type { Evidence } from './evidence.ts';
import { sharesHostKernel } from './phases.ts';
import { type BootRecord, type ManagerTimes, moveUnit } from './record.ts';

/** The container manager starts the first process before systemd takes its first stamp. */
const SETUP_US = 1e6;
/** Logs name the uptime to the second. */
const SAME_START_US = 5e6;

/** Logs whose uptime counts from the start of a container, moved to the clock of the systemd in that container. */
export function onHostClock(evidence: readonly Evidence[]): Evidence[] {
  const containers = evidence.flatMap((one) => {
    const startUs = one.manager && !one.manager.securityStartUs ? one.manager.userspaceUs : 0;
    const [anchor] = one.anchors;
    return startUs > SAME_START_US && anchor ? [{ startUs, wallUs: anchor.wallUs - anchor.monotonicUs + startUs }] : [];
  });
  if (containers.length === 0) return [...evidence];
  return evidence.map((one) => {
    const [anchor] = one.manager ? [] : one.anchors;
    const zeroUs = anchor && anchor.wallUs - anchor.monotonicUs;
    const own = containers.find(({ wallUs }) => zeroUs !== undefined && Math.abs(wallUs - zeroUs) < SAME_START_US);
    return own ? movedBy(own.startUs, one) : one;
  });
}

function movedBy(startUs: number, one: Evidence): Evidence {
  const move = (us: number) => us + startUs;
  return {
    ...one,
    anchors: one.anchors.map(({ monotonicUs, wallUs, errorUs }) => ({
      monotonicUs: move(monotonicUs),
      wallUs,
      errorUs: errorUs + SETUP_US,
    })),
    ...(one.monotonic && {
      monotonic: {
        spans: one.monotonic.spans.map((span) => ({ ...span, startUs: move(span.startUs), endUs: move(span.endUs) })),
        milestones: one.monotonic.milestones.map((milestone) => ({ ...milestone, atUs: move(milestone.atUs) })),
      },
    }),
  };
}

/**
 * A container's record, counted from its start. From 1 µs, because a stamp of 0 means "never". If a stamp is from before the start, the
 * stamps are not those of a container, and the record is returned as it is.
 */
export function fromContainerStart(record: BootRecord): BootRecord {
  const { manager, clock } = record;
  if (!manager || clock.zero !== 'kernel' || manager.softRebootsCount > 0 || !sharesHostKernel(record)) return record;
  const backUs = manager.userspaceUs - 1;
  const stamps = [
    ...OF_MANAGER.map((name) => manager[name]),
    ...record.units.flatMap((one) => [one.activatingUs, one.activatedUs, one.deactivatingUs, one.deactivatedUs]),
  ];
  if (backUs <= 0 || stamps.some((us) => us > 0 && us <= backUs)) return record;
  const move = (us: number) => us - backUs;
  const moved: ManagerTimes = { ...manager };
  for (const name of OF_MANAGER) if (manager[name] > 0) moved[name] = move(manager[name]);
  return {
    ...record,
    clock: { ...clock, ...(clock.wallAtZeroUs !== undefined && { wallAtZeroUs: clock.wallAtZeroUs + backUs }) },
    manager: moved,
    units: record.units.map((one) => moveUnit(one, move)),
    spans: record.spans.map((span) => ({ ...span, startUs: move(span.startUs), endUs: move(span.endUs) })),
    milestones: record.milestones
      .filter(({ name }) => name !== 'kernel-start')
      .map((milestone) => ({ ...milestone, atUs: move(milestone.atUs) })),
  };
}

const OF_MANAGER = [
  'userspaceUs',
  'finishUs',
  'generatorsStartUs',
  'generatorsFinishUs',
  'unitsLoadStartUs',
  'unitsLoadFinishUs',
] as const satisfies (keyof ManagerTimes)[];
