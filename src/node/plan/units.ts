// node/plan/units.ts: which units will there be once our files are in place, and which of those that run will not?
import { unitPath } from '../desired/aspects/units.ts';
import type { ObservedState, OwnedFile, Ownership } from '../desired/tree.ts';

export interface UnitOutlook {
  /** And can be started: a masked one cannot. */
  exists(unit: string): boolean;
  /** It is there and free now, and will be masked: what is to be switched, is switched before. */
  isAboutToBeMasked(unit: string): boolean;
  /** They run from a file of ours that leaves the document, and there is no other. */
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
