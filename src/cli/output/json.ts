// cli/output/json.ts: the envelope of every --json document, and the Error document after a failure.
import { errorFacts } from '../../base/errors.ts';
import type { CliDeps } from '../verb.ts';

export const API_VERSION = 'headstart.dev/v1';

export function printJson(deps: CliDeps, kind: string, body: object): void {
  deps.stdout(`${JSON.stringify({ apiVersion: API_VERSION, kind, ...body }, null, 2)}\n`);
}

/** One document per line, for verbs that print events while they run and the result last. */
export function printJsonLine(deps: CliDeps, kind: string, body: object): void {
  deps.stdout(`${JSON.stringify({ apiVersion: API_VERSION, kind, ...body })}\n`);
}

/** Prints one line, so that it can follow the events of a long verb. */
export function printError(deps: CliDeps, error: unknown): void {
  const facts = errorFacts(error);
  if (facts.code === 'cli/stdout-unwritable') return;
  printJsonLine(deps, 'Error', { ...facts, exitCode: deps.signalExitCode?.() ?? facts.exitCode });
}

/** Kinds that verbs print repeatedly while they run; any other document is the answer. */
const EVENTS = /^\{"apiVersion":"[^"]*","kind":"(?:\w+Event|PoolLogLine|NodeStatus)"/;

export function isAnswer(printed: string): boolean {
  return printed !== '' && !EVENTS.test(printed);
}
