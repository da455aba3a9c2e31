// boot/compat/cloud-init/exact/python-text.ts: Python's str methods. Their definition of whitespace differs from JavaScript's.

/** Whitespace for str.split() and str.strip(). */
export function isPythonSpace(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x1c && code <= 0x1f);
  if (code < 0x85) return false;
  return (
    code === 0x85 ||
    code === 0xa0 ||
    code === 0x1680 ||
    (code >= 0x2000 && code <= 0x200a) ||
    code === 0x2028 ||
    code === 0x2029 ||
    code === 0x202f ||
    code === 0x205f ||
    code === 0x3000
  );
}

/** The first `most` words. */
export function firstWords(text: string, most: number): string[] {
  const words: string[] = [];
  let at = 0;
  while (words.length < most) {
    at = skipSpace(text, at);
    if (at === text.length) break;
    const start = at;
    while (at < text.length && !isPythonSpace(text.charCodeAt(at))) at++;
    words.push(text.slice(start, at));
  }
  return words;
}

export function wordsOf(text: string): string[] {
  return firstWords(text, Number.POSITIVE_INFINITY);
}

export function stripLeft(text: string): string {
  return text.slice(skipSpace(text, 0));
}

export function strip(text: string): string {
  const start = skipSpace(text, 0);
  let end = text.length;
  while (end > start && isPythonSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** text.split(separator)[1]: the text between the first two occurrences. */
export function afterFirst(text: string, separator: string): string {
  const start = text.indexOf(separator) + separator.length;
  const end = text.indexOf(separator, start);
  return end < 0 ? text.slice(start) : text.slice(start, end);
}

export function stripRightColons(text: string): string {
  let end = text.length;
  while (end > 0 && text[end - 1] === ':') end--;
  return text.slice(0, end);
}

export function stripLeftColons(text: string): string {
  let start = 0;
  while (text[start] === ':') start++;
  return text.slice(start);
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (at < text.length && isPythonSpace(text.charCodeAt(at))) at++;
  return at;
}
