// .ci/parts.ts: which parts of the bench or of the campaign are asked for?
import { UserError } from '../src/base/errors.ts';

export interface Described {
  /** One line of `help`. */
  about: string;
}

/** Of words with names between commas or spaces; all parts when there are none, undefined when the list of parts is asked for. */
export function chooseParts(
  words: readonly string[],
  known: Readonly<Record<string, Described>>,
  /** `bench PARTS`: what make is called with. */
  asked: string,
): string[] | undefined {
  const names = [...new Set(words.flatMap((word) => word.split(/[\s,]+/)).filter(Boolean))];
  if (names.some((name) => ['help', '--help', '-h'].includes(name))) return undefined;
  const unknown = names.filter((name) => !Object.hasOwn(known, name));
  if (unknown.length === 0) return names.length > 0 ? names : Object.keys(known);
  const [area] = asked.split(' ');
  throw new UserError(`the ${area} has no part ${unknown.join(', ')}: expected ${Object.keys(known).join(', ')}`, {
    code: `${area}/no-such-part`,
    kept: 'Nothing was run.',
    next: `make ${asked}=help`,
  });
}

export function renderParts(known: Readonly<Record<string, Described>>): string {
  const width = Math.max(...Object.keys(known).map((name) => name.length));
  return Object.entries(known)
    .map(([name, { about }]) => `  ${name.padEnd(width)}  ${about}\n`)
    .join('');
}
