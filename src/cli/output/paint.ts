// cli/output/paint.ts: the few styles of an answer on a terminal. None of them is the only thing that says what it means.
import type { Screen } from './screen.ts';

/** By meaning, so that a wait looks the same in every verb. */
export type Style = keyof typeof CODES;

// Not util.styleText: in Node 24.0 it opens process.stdout even without validateStream; process-deps.ts says what that does.
const CODES = {
  header: [2, 22],
  aside: [2, 22],
  path: [1, 22],
  wait: [33, 39],
  warning: [33, 39],
  good: [32, 39],
  bad: [31, 39],
} as const;

/** `text` has no control characters: it went through `printable` or is ours. */
export function paint(text: string, style: Style | undefined, { hasColour }: Pick<Screen, 'hasColour'>): string {
  if (!hasColour || style === undefined || text === '') return text;
  const [on, off] = CODES[style];
  return `\u001b[${on}m${text}\u001b[${off}m`;
}
