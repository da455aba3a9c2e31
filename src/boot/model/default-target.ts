// boot/model/default-target.ts: what is the default target of this boot?
import { type BootRecord, isPlaced, type Unit } from './record.ts';

/** The unit that `default.target` is an alias of. If no source has the alias: graphical.target or multi-user.target. */
export function defaultTarget(record: BootRecord): string | undefined {
  return namedUnit(record, 'default.target')?.name ?? usualTarget(record);
}

/**
 * The unit that the inputs are about. A pasted `critical-chain UNIT` is about its root; everything else about the default target.
 * The root is the first unit of the listing that others hold back.
 */
export function askedUnit(record: BootRecord): string | undefined {
  const isPasted = record.sources.some(({ kind }) => kind === 'analyze-critical-chain');
  const isWhole = record.sources.some(({ kind }) => WHOLE.has(kind));
  const root = isPasted && !isWhole ? record.units.find((unit) => unit.after.length > 0 && isPlaced(unit)) : undefined;
  return root?.name ?? defaultTarget(record);
}

/** Sources with all units of a boot: a pasted listing then adds nothing. */
const WHOLE: ReadonlySet<string> = new Set(['boot-record', 'systemctl-units', 'analyze-plot-svg', 'analyze-plot-json']);

/** Matches the Id or an alias. */
export function namedUnit(record: BootRecord, name: string): Unit | undefined {
  return (
    record.units.find((unit) => unit.name === name) ??
    record.units.find((unit) => unit.aliases?.includes(name) === true)
  );
}

function usualTarget(record: BootRecord): string | undefined {
  const names = ['graphical.target', 'multi-user.target'];
  const isReached = (name: string) => record.units.some((unit) => unit.name === name && unit.activatedUs > 0);
  return names.find(isReached) ?? names.find((name) => record.units.some((unit) => unit.name === name));
}
