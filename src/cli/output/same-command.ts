// cli/output/same-command.ts: the command that a hint names: what the user typed with one change, or another one in the same place.
import { UserError } from '../../base/errors.ts';
import { shellWord } from '../../base/shell-word.ts';
import type { Edges } from '../verb.ts';

export interface Change {
  /** Each value that was typed, and what to type in its place: an argument, or the value of an option. */
  replace?: Readonly<Record<string, string>>;
  /** Words to add: before a `--`, after which words are no longer options. */
  add?: readonly string[];
}

/** The command line as it was typed, with all its options, and one change. */
export function sameCommand(typed: readonly string[], { replace = {}, add = [] }: Change = {}): string {
  const end = typed.indexOf('--');
  const [ours, rest] = end < 0 ? [typed, []] : [typed.slice(0, end), typed.slice(end)];
  const verb = wordsOfVerb(typed);
  const words = ours.map((word, at) => (at < verb ? word : replaced(word, replace)));
  const isForeign = typed[0] === 'pool' && typed[1] === 'exec'; // a command for the guest
  const after = isForeign ? rest : rest.map((word) => replace[word] ?? word);
  return ['headstart', ...words, ...add, ...after].map(shellWord).join(' ');
}

/** A file or a unit may be called as a verb is: the words of the verb itself stay. */
function wordsOfVerb(typed: readonly string[]): number {
  return typed[0] === 'boot' && (typed[1] === 'systemd' || typed[1] === 'cloud-init') ? 3 : 2;
}

function replaced(word: string, replace: Readonly<Record<string, string>>): string {
  for (const [from, to] of Object.entries(replace)) {
    if (word === from) return to;
    const [, flag, value] = /^(--[\w-]+=|-[a-zA-Z])(.+)$/s.exec(word) ?? [];
    if (value === from) return flag + to;
  }
  return word;
}

/** Options that say where things are. A command that reads the same place needs them as much as the one that was typed. */
const PLACES: readonly { commands: RegExp; options: readonly string[] }[] = [
  { commands: /^(?:pool|cluster) /, options: ['--home'] },
  { commands: /^image (?:list|publish|promote)$/, options: ['--vms', '--home', '--gallery'] },
  { commands: /^node (?:apply|history|plan|rollback|status|wait)$/, options: ['--root'] },
];

/** A hint whose commands keep the options with which the user said where things are. */
export function inSamePlace(hint: string, typed: readonly string[]): string {
  const given = valuesOf(typed);
  return hint.replace(/\bheadstart ([a-z]+ [a-z-]+)\b([^;`\n]*)/g, (whole, command: string, rest: string) => {
    const options = PLACES.find(({ commands }) => commands.test(command))?.options ?? [];
    const kept = options.filter((option) => given.has(option) && !new RegExp(`${option}\\b`).test(rest));
    if (kept.length === 0) return whole;
    return `headstart ${command} ${kept.map((option) => `${option} ${shellWord(given.get(option)!)}`).join(' ')}${rest}`;
  });
}

/** Of each option that says where, the last value that was typed. */
function valuesOf(typed: readonly string[]): Map<string, string> {
  const known = new Set(PLACES.flatMap(({ options }) => options));
  const values = new Map<string, string>();
  for (const [i, word] of typed.entries()) {
    if (word === '--') break;
    const [, option, value] = /^(--[a-z-]+)(?:=(.*))?$/s.exec(word) ?? [];
    const given = value ?? typed[i + 1];
    if (option !== undefined && given !== undefined && known.has(option)) values.set(option, given);
  }
  return values;
}

/** For one command line: the verb learns what was typed, and every `next:` it prints or throws stays in the same place. */
export function edgesFor(typed: readonly string[], edges: Edges): Edges {
  const stderr = (text: string) => edges.stderr(/^next:/m.test(text) ? inSamePlace(text, typed) : text);
  return { ...edges, stderr, typed };
}

export function errorInSamePlace(error: unknown, typed: readonly string[]): unknown {
  if (!(error instanceof UserError) || error.next === undefined) return error;
  const next = inSamePlace(error.next, typed);
  return next === error.next ? error : Object.assign(error, { next });
}
