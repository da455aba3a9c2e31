// base/plain-copy.ts: a deep copy of plain data, several times as fast as structuredClone for small values.

/** Of objects, arrays and primitives only. */
export function plainCopy<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(plainCopy) as T;
  const copy: Record<string, unknown> = {};
  for (const key of Object.keys(value)) copy[key] = plainCopy((value as Record<string, unknown>)[key]);
  return copy as T;
}
