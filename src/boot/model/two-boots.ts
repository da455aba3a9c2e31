// boot/model/two-boots.ts: do two pieces of evidence contradict each other, so that they must be from different boots?

import type { Evidence } from './evidence.ts';
import { startTookUs } from './record.ts';

/** Sources truncate milliseconds or log late, so durations of the same boot may differ by this much. */
const SAME_LENGTH_US = 1_000_000;
const SAME_KERNEL_US = 50_000;
/** Sources of one kind report the same stamps. */
const SAME_KIND_US = 1_000;

/** Compares only durations: userspace, kernel and, for listings of the same kind, units. */
export function areOfTwoBoots(a: Evidence, b: Evidence): boolean {
  if (a.bootId !== undefined && a.bootId === b.bootId) return false;
  if (a.name !== undefined && b.name !== undefined && a.name !== b.name) return true;
  const isSameKind = a.kind === b.kind;
  return (
    isFar(userspaceTookUs(a), userspaceTookUs(b), isSameKind ? SAME_KIND_US : SAME_LENGTH_US) ||
    isFar(kernelTookUs(a), kernelTookUs(b), isSameKind ? SAME_KIND_US : SAME_KERNEL_US) ||
    (isSameKind && mostUnitsDiffer(a, b))
  );
}

/** Without such durations it contradicts nothing. Asked first, because a log may contain thousands of boots at one time. */
export function canContradict(evidence: Evidence): boolean {
  return (
    userspaceTookUs(evidence) !== undefined ||
    kernelTookUs(evidence) !== undefined ||
    (evidence.units ?? []).some((unit) => startTookUs(unit) !== 0)
  );
}

function isFar(aUs: number | undefined, bUs: number | undefined, limitUs: number): boolean {
  return aUs !== undefined && bUs !== undefined && Math.abs(aUs - bUs) > limitUs;
}

/** The duration, because a container may count its times from the host's boot or from its own. */
function userspaceTookUs({ manager }: Evidence): number | undefined {
  return manager && manager.finishUs > 0 ? manager.finishUs - manager.userspaceUs : undefined;
}

function kernelTookUs({ spans }: Evidence): number | undefined {
  return spans.find((span) => span.id === 'kernel:until-init')?.endUs;
}

/** A few units may have been restarted between two listings of the same boot, but not most of them. */
function mostUnitsDiffer(a: Evidence, b: Evidence): boolean {
  const known = new Map((a.units ?? []).map((unit) => [unit.name, startTookUs(unit)]));
  let shared = 0;
  let different = 0;
  for (const unit of b.units ?? []) {
    const tookUs = known.get(unit.name);
    if (!tookUs || startTookUs(unit) === 0) continue;
    shared++;
    if (Math.abs(tookUs - startTookUs(unit)) > SAME_KIND_US) different++;
  }
  return different > shared / 2;
}
