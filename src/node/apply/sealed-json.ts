// node/apply/sealed-json.ts: how are values with secrets in them kept in a file? As JSON in which every secret is marked, so that it
// is one again when it is read. Such a file is root's alone.
import { Secret } from '../../base/secret.ts';

export function renderSealed(value: unknown): string {
  const mark = unusedMark(JSON.stringify(value) ?? '');
  const sealed = JSON.stringify(value, function (this: Record<string, unknown>, key, shown: unknown) {
    const one = this[key]; // `shown` is what a secret shows of itself
    return one instanceof Secret ? { [mark]: one.reveal() } : shown;
  });
  return `${JSON.stringify(mark)}\n${sealed}\n`;
}

/** Throws a SyntaxError when it is not one of ours: what cannot be told is not guessed. */
export function parseSealed(text: string): unknown {
  const end = text.indexOf('\n');
  const mark: unknown = JSON.parse(text.slice(0, end));
  if (typeof mark !== 'string' || end < 0) throw new SyntaxError('it does not begin with a mark');
  return JSON.parse(text.slice(end + 1), (_key, value: unknown) => {
    if (typeof value !== 'object' || value === null || !(mark in value)) return value;
    const content: unknown = value[mark as keyof typeof value];
    return typeof content === 'string' ? new Secret(content) : value;
  });
}

/** A document may hold any text, also what looks like a mark. */
function unusedMark(text: string): string {
  let mark = '$secret';
  while (text.includes(mark)) mark += '$';
  return mark;
}
