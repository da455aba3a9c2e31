// boot/model/milestones.ts: when did the boot reach each milestone, as stated by a source or derived from units?
import { GUEST_AGENT_UNITS, KUBELET_UNIT } from './known-units.ts';
import { sharesHostKernel } from './phases.ts';
import { type BootRecord, isPlaced, type Milestone, type MilestoneName, type SpanSource, type Unit } from './record.ts';

/** In time order, one per name. A stated milestone wins over a derived one, unless it is imprecise. */
export function milestonesOf(record: BootRecord): Milestone[] {
  const known = new Map<MilestoneName, Milestone>(record.milestones.map((m) => [m.name, m]));
  for (const milestone of derived(record)) {
    const stated = known.get(milestone.name);
    if (!stated || (stated.errorUs ?? 0) > 0) known.set(milestone.name, milestone);
  }
  return [...known.values()].sort((a, b) => a.atUs - b.atUs);
}

const REACHED_BY: readonly (readonly [MilestoneName, SpanSource, 'activatingUs' | 'activatedUs', readonly string[]])[] =
  [
    ['network-online', 'systemd', 'activatedUs', ['network-online.target']],
    // Single-process cloud-init (24.3+) starts Python in cloud-init-main; the stage units are shims that begin later.
    ['cloud-init-activated', 'cloud-init', 'activatingUs', ['cloud-init-main.service', 'cloud-init-local.service']],
    ['guest-agent-started', 'guest-agent', 'activatedUs', GUEST_AGENT_UNITS],
    ['kubelet-started', 'kubelet', 'activatedUs', [KUBELET_UNIT]],
  ];

function derived(record: BootRecord): Milestone[] {
  const found: Milestone[] = [];
  const { manager, clock } = record;
  const add = (name: MilestoneName, source: SpanSource, atUs: number, detail?: string) =>
    found.push({ name, source, atUs, ...(detail !== undefined && { detail }) });
  // In a container, the kernel is the host's.
  if (clock.zero === 'kernel' && !sharesHostKernel(record)) add('kernel-start', 'kernel', 0);
  if (clock.zero === 'userspace') add('userspace', 'systemd', 0);
  if (manager && manager.userspaceUs > 0) add('userspace', 'systemd', manager.userspaceUs);
  if (manager && manager.finishUs > 0) add('startup-finished', 'systemd', manager.finishUs);
  const units = new Map(record.units.filter(isPlaced).map((unit) => [unit.name, unit]));
  for (const [name, source, stamp, candidates] of REACHED_BY) {
    const earliest = earliestOf(units, candidates, stamp);
    if (earliest) add(name, source, earliest[stamp], earliest.name);
  }
  return found;
}

function earliestOf(
  units: ReadonlyMap<string, Unit>,
  names: readonly string[],
  stamp: 'activatingUs' | 'activatedUs',
): Unit | undefined {
  return names
    .map((name) => units.get(name))
    .filter((unit) => unit !== undefined && unit[stamp] > 0)
    .sort((a, b) => a![stamp] - b![stamp])[0];
}
