// node/apply/sealed-json.ts: how are values that contain secrets stored in a file? As JSON with a mark on every secret,
// so that parsing returns it as a Secret again. Only root may read the file.
import { Secret } from '../../base/secret.ts';

export function renderSealed(value: unknown): string {
  const mark = unusedMark(JSON.stringify(value) ?? '');
  const sealed = JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
    const one = this[key]; // `shown` is the redacted form of a secret
    return one instanceof Secret ? { [mark]: one.reveal() } : shown;
  });
  return `${JSON.stringify(mark)}\n${sealed}\n`;
}

/** Throws a SyntaxError if `renderSealed` did not write the text. */
export function parseSealed(text: string): unknown {
  const end = text.indexOf('\n');
  const mark: unknown = JSON.parse(text.slice(0, end));
  if (typeof mark !== 'string' || end < 0) throw new SyntaxError('the mark is missing');
  return JSON.parse(text.slice(end + 1), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !(mark in value)) return value;
    const content: unknown = value[mark as keyof typeof value];
    return typeof content === 'string' ? new Secret(content) : value;
  });
}

/** A document may contain any text, including one that looks like a mark. */
function unusedMark(text: string): string {
  let mark = '$secret';
  while (text.includes(mark)) mark += '$';
  return mark;
}
