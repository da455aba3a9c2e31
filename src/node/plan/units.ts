// node/plan/units.ts: which units will exist after the plan, and which running units will not?
import { unitPath } from '../desired/aspects/units.ts';
import type { ObservedState, OwnedFile, Ownership } from '../desired/tree.ts';

export interface UnitOutlook {
  /** False for a masked unit, which cannot be started. */
  exists(unit: string): boolean;
  /** Not masked now and masked after the plan: it must be enabled or disabled before that. */
  isAboutToBeMasked(unit: string): boolean;
  /** Running units whose only file is ours and leaves the document. */
  orphans: string[];
}

export function unitOutlook(
  wanted: ReadonlyMap<string, OwnedFile>,
  observed: ObservedState,
  ownership: Ownership,
): UnitOutlook {
  const isMasked = (unit: string) => wanted.get(unitPath(unit))?.linkTo !== undefined;
  const hasFile = (unit: string) => {
    const path = unitPath(unit);
    const seen = observed.units.get(unit);
    const before = ownership.files.get(path);
    if (wanted.has(path)) return true;
    if (before === undefined) return seen !== undefined;
    return before.original.kind !== 'absent' || seen?.isOfImage === true;
  };
  const running = [...observed.units].filter(([, unit]) => unit.isActive).map(([name]) => name);
  return {
    exists: (unit) => hasFile(unit) && !isMasked(unit),
    isAboutToBeMasked: (unit) => isMasked(unit) && observed.units.get(unit)?.isMasked === false,
    orphans: running.filter((unit) => !hasFile(unit)).sort(),
  };
}
