// cli/testing.ts: runs a command line or one verb in a test, without a process and with fake deps.
import { Command, CommanderError } from 'commander';
import { exitCodeOf, renderError } from '../base/errors.ts';
import { main } from './main.ts';
import type { CliDeps, Verb } from './verb.ts';

export interface CliResult {
  code: number;
  stdout: string;
  stderr: string;
}

export interface TestWorld {
  stdin?: string;
  nowUs?: number;
  env?: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
  /** stdout and stderr are a terminal of this width; without it they are pipes. */
  columns?: number;
}

export async function run(argv: string[], world: TestWorld = {}): Promise<CliResult> {
  const { ran, deps } = testDeps(world);
  ran.code = await main(argv, deps);
  return ran;
}

/** Runs one verb like main.ts does, for the test of the verb's file. */
export async function runVerb(verb: Verb, argv: readonly string[], world: TestWorld = {}): Promise<CliResult> {
  const { ran, deps } = testDeps(world);
  const command = new Command().exitOverride().configureOutput({ writeErr: deps.stderr });
  verb.configure(command);
  try {
    command.parse([...argv], { from: 'user' });
    ran.code = (await verb.run(command.args, command.opts(), deps)) ?? 0;
  } catch (error) {
    if (error instanceof CommanderError) return { ...ran, code: 2 };
    deps.stderr(`${renderError(error)}\n`);
    ran.code = exitCodeOf(error);
  }
  return ran;
}

/** Fake deps, and the output that a verb writes to them. */
export function testDeps({ stdin = '', nowUs = 1_800_000_000_000_000, env = {}, signal, columns }: TestWorld): {
  ran: CliResult;
  deps: CliDeps;
} {
  const ran: CliResult = { code: 0, stdout: '', stderr: '' };
  const deps: CliDeps = {
    stdout: (text) => {
      ran.stdout += text;
    },
    stderr: (text) => {
      ran.stderr += text;
    },
    readStdin: () => new TextEncoder().encode(stdin),
    env,
    isTerminal: { stdout: columns !== undefined, stderr: columns !== undefined },
    columnsOf: () => columns,
    nowUs: () => nowUs,
    signal: () => signal ?? new AbortController().signal,
  };
  return { ran, deps };
}
