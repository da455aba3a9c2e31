// boot/compat/cloud-init/read/intern-text.ts: one copy of the words that every boot in a log repeats.

/**
 * Names and descriptions repeat from boot to boot. One copy of each keeps a log of a million lines small in memory, where
 * every slice would hold on to the line it was cut from.
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
