// boot/compat/cloud-init/read/intern-text.ts: interns names and descriptions, which repeat in every boot of a log.

/**
 * Saves memory for a log of a million lines: without interning, every slice would keep its whole line in memory.
 */
export function internText(text: string): string {
  const known = SHARED.get(text);
  if (known !== undefined) return known;
  if (SHARED.size >= MAX_SHARED) SHARED.clear();
  SHARED.set(text, text);
  return text;
}

const SHARED = new Map<string, string>();
const MAX_SHARED = 4096;
