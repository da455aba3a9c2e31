// boot/load/sources/unique-id.ts: numbers repeated ids: `id`, `id#2`, `id#3` …

/** `taken` counts the uses of each id; keep one map per list of spans. */
export function uniqueId(id: string, taken: Map<string, number>): string {
  const count = (taken.get(id) ?? 0) + 1;
  taken.set(id, count);
  return count === 1 ? id : `${id}#${count}`;
}
