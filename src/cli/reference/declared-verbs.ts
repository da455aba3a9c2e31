// cli/reference/declared-verbs.ts: every verb with its declared options, for documents that are generated from the table of verbs.
import { Command } from 'commander';
import { VERBS } from '../main.ts';
import { declareOptions } from '../program.ts';
import type { Verb } from '../verb.ts';

export interface DeclaredVerb {
  path: string;
  /** An imperative phrase. */
  summary: string;
  verb: Verb;
  command: Command;
}

export function declaredVerbs(): Promise<DeclaredVerb[]> {
  return Promise.all(Object.keys(VERBS).map(declare));
}

/** `boot systemd` → its verbs; '' → those without a group. */
export function verbsOf(group: string, declared: readonly DeclaredVerb[]): DeclaredVerb[] {
  return declared.filter(({ path }) => path.split(' ').slice(0, -1).join(' ') === group);
}

async function declare(path: string): Promise<DeclaredVerb> {
  const { summary, load } = VERBS[path]!;
  const { verb } = await load();
  const command = new Command(path);
  declareOptions(command, verb);
  return { path, summary, verb, command };
}
