// node/plan/line-diff.ts: which lines of a text are removed and added, with some context?
import type { DiffLine } from '../desired/tree.ts';

const CONTEXT_LINES = 2;
/** Above this size the whole middle is shown as replaced, because the longest common subsequence would take too long. */
const MAX_CELLS = 1_000_000;

export function lineDiff(from: string, to: string): DiffLine[] {
  const [old, now] = [linesOf(from), linesOf(to)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const middle = differing(old.slice(start, old.length - end), now.slice(start, now.length - end));
  const same = (text: string): DiffLine => ({ sign: ' ', text });
  return withGaps([...old.slice(0, start).map(same), ...middle, ...old.slice(old.length - end).map(same)]);
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  // A last line without a line break differs from one with it.
  if (lines.at(-1) === '') return lines.slice(0, -1);
  return [...lines.slice(0, -1), `${lines.at(-1)} (no line break at the end)`];
}

function differing(old: readonly string[], now: readonly string[]): DiffLine[] {
  if (old.length * now.length > MAX_CELLS) {
    return [...old.map((text) => minus(text)), ...now.map((text) => plus(text))];
  }
  const width = now.length + 1;
  const longest = new Uint32Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      longest[i * width + j] =
        old[i] === now[j]
          ? longest[(i + 1) * width + j + 1]! + 1
          : Math.max(longest[(i + 1) * width + j]!, longest[i * width + j + 1]!);
    }
  }
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    if (i < old.length && j < now.length && old[i] === now[j]) {
      lines.push({ sign: ' ', text: old[i]! });
      i++;
      j++;
    } else if (j === now.length || (i < old.length && longest[(i + 1) * width + j]! >= longest[i * width + j + 1]!)) {
      lines.push(minus(old[i++]!));
    } else {
      lines.push(plus(now[j++]!));
    }
  }
  return lines;
}

const minus = (text: string): DiffLine => ({ sign: '-', text });
const plus = (text: string): DiffLine => ({ sign: '+', text });

function withGaps(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = (index: number) =>
    lines.slice(Math.max(0, index - CONTEXT_LINES), index + CONTEXT_LINES + 1).some((line) => line.sign !== ' ');
  const shown: DiffLine[] = [];
  for (const [index, line] of lines.entries()) {
    if (isNear(index)) shown.push(line);
    else if (shown.at(-1)?.sign !== 'gap') shown.push({ sign: 'gap', text: '' });
  }
  return shown;
}
