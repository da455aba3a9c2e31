// boot/model/default-target.ts: what is the default target of this boot?
import type { BootRecord, Unit } from './record.ts';

/** The unit that `default.target` is an alias of. If no source has the alias: graphical.target or multi-user.target. */
export function defaultTarget(record: BootRecord): string | undefined {
  return namedUnit(record, 'default.target')?.name ?? usualTarget(record);
}

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
