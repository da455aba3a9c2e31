// cli/output/paint.ts: the styles of an answer on a terminal. The text is complete without them.
import type { Screen } from './screen.ts';

/** Named by meaning, so that a wait looks the same in every verb. */
export type Style = keyof typeof CODES;

// Not util.styleText: in Node 24.0 it opens process.stdout even without validateStream; process-deps.ts explains why that is bad.
const CODES = {
  header: [2, 22],
  aside: [2, 22],
  path: [1, 22],
  wait: [33, 39],
  warning: [33, 39],
  good: [32, 39],
  bad: [31, 39],
} as const;

/** `text` must have no control characters: pass foreign text through `printable` first. */
export function paint(text: string, style: Style | undefined, { hasColour }: Pick<Screen, 'hasColour'>): string {
  if (!hasColour || style === undefined || text === '') return text;
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
