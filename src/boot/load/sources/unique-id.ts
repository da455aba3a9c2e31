// boot/load/sources/unique-id.ts: a name for the second and third of a kind: `id`, `id#2`, `id#3` …

/** `taken` counts how often each id was asked for; keep one per list of spans. */
export function uniqueId(id: string, taken: Map<string, number>): string {
  const count = (taken.get(id) ?? 0) + 1;
  taken.set(id, count);
  return count === 1 ? id : `${id}#${count}`;
}
