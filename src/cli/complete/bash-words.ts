// cli/complete/bash-words.ts: what did the user type in bash, and how must bash insert a value? Pure.

export type Quote = '' | "'" | '"';

export interface BashLine {
  /** The words before the current one, without quotes. */
  words: string[];
  current: string;
  /** The quote that is open at the cursor. */
  quote: Quote;
  /** How many characters of `current` come before the part that readline replaces. */
  kept: number;
  /** The current word is the file of a redirection; zsh and fish complete those themselves. */
  isRedirected: boolean;
}

/**
 * `pieces`: COMP_WORDS up to the cursor, as typed. bash splits them at COMP_WORDBREAKS: `--format=ch` is three pieces, and only
 * `ch`, the `text`, is replaced. `line` is COMP_LINE: pieces that touch there are one word.
 */
export function readBashLine(pieces: readonly string[], line: string, text: string): BashLine {
  const touches = touchingIn(pieces, line) ?? pieces.map((piece, i) => isBreak(piece) || isBreak(pieces[i - 1] ?? ''));
  const typed: string[] = [];
  const last = pieces.length - 1;
  for (let i = 0; i <= last; i++) {
    const piece = i === last ? upToCursor(pieces[i]!, text) : pieces[i]!;
    if (isRedirection(piece) && i < last) {
      if (touches[i] && /^\d+$/.test(typed.at(-1)!)) typed.pop(); // 2>
      i++;
      if (i === last) return { words: [], current: '', quote: '', kept: 0, isRedirected: true };
    } else if (i > 1 && touches[i] && typed.length > 1) typed.push(`${typed.pop()}${piece}`);
    else typed.push(piece);
  }
  const { value: current, quote } = unquoted(typed.at(-1) ?? '');
  const replaced = isBreak(text) ? '' : unquoted(text.replace(/^['"]/, ''), quote).value;
  const kept = current.endsWith(replaced) ? current.length - replaced.length : 0;
  const words = typed.slice(1, -1).map((word) => unquoted(word).value);
  return { words, current, quote, kept, isRedirected: false };
}

function isRedirection(piece: string): boolean {
  return /^&?[<>]+[&|]?$/.test(piece);
}

/** Whether each piece follows the previous one without a blank; undefined if `line` does not match the pieces. */
function touchingIn(pieces: readonly string[], line: string): boolean[] | undefined {
  let at = 0;
  const touches: boolean[] = [];
  for (const piece of pieces) {
    const blanks = /^\s*/.exec(line.slice(at))![0].length;
    at += blanks;
    if (!line.startsWith(piece, at)) return undefined;
    touches.push(blanks === 0);
    at += piece.length;
  }
  return touches;
}

function isBreak(piece: string): boolean {
  return /^[=:@]+$/.test(piece);
}

/** The cursor may be inside the word. */
function upToCursor(piece: string, text: string): string {
  if (isBreak(piece)) return piece;
  const opening = /^['"]/.exec(piece)?.[0] ?? '';
  const rest = piece.slice(opening.length);
  const typed = text.replace(/^['"]/, '');
  return rest.startsWith(typed) ? opening + typed : piece;
}

/** Removes quotes like bash does. `quote` is open at the start. */
export function unquoted(typed: string, quote: Quote = ''): { value: string; quote: Quote } {
  let open = quote;
  let value = '';
  for (let i = 0; i < typed.length; i++) {
    const char = typed[i]!;
    const next = typed[i + 1] ?? '';
    if (open === "'") {
      if (char === "'") open = '';
      else value += char;
    } else if (char === '\\' && (open === '' || '\\"$`'.includes(next))) {
      value += next;
      i++;
    } else if (char === open) open = '';
    else if (open === '' && (char === "'" || char === '"')) open = char;
    else value += char;
  }
  return { value, quote: open };
}

/** Escapes `value` so that bash reads back the same text: unit names may contain backslashes. */
export function quotedFor(value: string, quote: Quote): string {
  if (quote === "'") return value.replaceAll("'", String.raw`'\''`);
  if (quote === '"') return value.replace(/[\\"$`]/g, '\\$&');
  return value.replace(/[^\w./:=@%+,-]/gu, '\\$&');
}
