// boot/compat/systemd/exact/fnmatch.ts: does a shell pattern match a whole name, as in fnmatch(3) without flags?

/** At worst pattern × name steps: on a mismatch, only the last `*` takes one more character. */
export function fnmatch(pattern: string, name: string): boolean {
  let p = 0;
  let n = 0;
  let starP = -1;
  let starN = 0;
  while (n < name.length || p < pattern.length) {
    if (pattern[p] === '*') {
      starP = p++;
      starN = n;
      continue;
    }
    const step = n < name.length ? matchOne(pattern, p, name[n]!) : undefined;
    if (step !== undefined) {
      p = step;
      n++;
    } else if (starP >= 0 && starN < name.length) {
      n = ++starN;
      p = starP + 1;
    } else {
      return false;
    }
  }
  return true;
}

/** The position in the pattern after matching this character; undefined = no match. */
function matchOne(pattern: string, p: number, char: string): number | undefined {
  const token = pattern[p];
  if (token === undefined) return undefined;
  if (token === '?') return p + 1;
  if (token === '[') {
    const set = bracket(pattern, p, char);
    if (set) return set.isMatch ? set.end : undefined;
  }
  if (token === '\\' && p + 1 < pattern.length) return pattern[p + 1] === char ? p + 2 : undefined;
  return token === char ? p + 1 : undefined;
}

/** Undefined for an unclosed `[…]`, which is an ordinary character. */
function bracket(pattern: string, p: number, char: string): { isMatch: boolean; end: number } | undefined {
  let i = p + 1;
  const isNegated = pattern[i] === '!' || pattern[i] === '^';
  if (isNegated) i++;
  let isIn = false;
  for (let isFirst = true; i < pattern.length; isFirst = false) {
    if (pattern[i] === ']' && !isFirst) return { isMatch: isIn !== isNegated, end: i + 1 };
    if (pattern[i] === '\\' && i + 1 < pattern.length) i++;
    const from = pattern[i]!;
    let to = from;
    if (pattern[i + 1] === '-' && pattern[i + 2] !== undefined && pattern[i + 2] !== ']') {
      to = pattern[i + 2]!;
      i += 2;
    }
    isIn ||= char >= from && char <= to;
    i++;
  }
  return undefined;
}
