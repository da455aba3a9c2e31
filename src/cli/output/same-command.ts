// cli/output/same-command.ts: repeats the command that the user typed, with one change, for hints.
import { shellWord } from '../../base/shell-word.ts';

export interface CommandChange {
  /** Typed value to new value; the value of an argument or an option. */
  replace?: Readonly<Record<string, string>>;
  /** Words to add before a `--`, if there is one. */
  add?: readonly string[];
}

export function sameCommand(typed: readonly string[], { replace = {}, add = [] }: CommandChange = {}): string {
  const end = typed.indexOf('--');
  const [ours, rest] = end < 0 ? [typed, []] : [typed.slice(0, end), typed.slice(end)];
  const verb = wordsOfVerb(typed);
  const words = ours.map((word, at) => (at < verb ? word : replaced(word, replace)));
  const isForeign = typed[0] === 'pool' && typed[1] === 'exec'; // the words after -- are a command for the guest
  const after = isForeign ? rest : rest.map((word) => replace[word] ?? word);
  return ['headstart', ...words, ...add, ...after].map(shellWord).join(' ');
}

/** A file or a unit may have the name of a verb: the words of the verb itself are not replaced. */
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
