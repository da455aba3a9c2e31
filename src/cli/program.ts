// cli/program.ts: from a command line to the verb it names, for every program that is made of verbs.
import { Command, CommanderError } from 'commander';
import { exitCodeOf, renderError } from '../base/errors.ts';
import { edgesFor, errorInSamePlace } from './output/same-command.ts';
import type { Edges, Verb } from './verb.ts';

export interface VerbEntry {
  summary: string;
  load(): Promise<{ verb: Verb }>;
}

export type Groups = Readonly<Record<string, { summary: string; examples: string[] }>>;
export type Verbs = Readonly<Record<string, VerbEntry>>;

export interface Program {
  groups: Groups;
  verbs: Verbs;
  examples: string[];
  version(): string;
}

/** Runs one command line and gives its exit code; never throws for a user's mistake. */
export async function runProgram(program: Program, argv: string[], edges: Edges): Promise<number> {
  let exitCode = 0;
  const { command, path } = await buildCommand(program, argv, edges, (code) => {
    exitCode = code;
  });
  try {
    await command.parseAsync(argv, { from: 'user' });
    return exitCode;
  } catch (error) {
    if (error instanceof CommanderError) {
      if (error.exitCode === 0) return 0;
      edges.stderr(`next:  headstart ${path.length > 0 ? `${path.join(' ')} ` : ''}--help\n`);
      return 2;
    }
    edges.stderr(`${renderError(errorInSamePlace(error, argv))}\n`);
    return exitCodeOf(error);
  }
}

/** Declares every group and verb by name; only the verb that `argv` names is loaded and given its options. */
async function buildCommand(program: Program, argv: string[], edges: Edges, onExit: (code: number) => void) {
  const top = prepare(new Command('headstart'), edges)
    .description('Kubernetes nodes on VM pools that come up fast, patched and known-good, with the proof')
    .version(program.version(), '-V, --version')
    .addHelpText('before', helpExamples(program.examples));
  const groups = new Map<string, Command>([['', top]]);
  for (const [path, { summary, examples }] of Object.entries(program.groups)) {
    addTo(groups, path, edges).description(summary).addHelpText('before', helpExamples(examples));
  }

  const called = calledVerb(argv, program.verbs);
  for (const [path, entry] of Object.entries(program.verbs)) {
    const command = addTo(groups, path, edges).description(entry.summary);
    if (path !== called.join(' ')) continue;
    const { verb } = await entry.load();
    command.addHelpText('before', helpExamples(verb.examples));
    verb.configure(command);
    command.action(async (...values: unknown[]) => {
      const self = values.at(-1) as Command;
      onExit((await verb.run(self.args, self.opts(), edgesFor(argv, edges))) ?? 0);
    });
  }
  return { command: top, path: called };
}

function addTo(groups: Map<string, Command>, path: string, edges: Edges): Command {
  const words = path.split(' ');
  const parent = groups.get(words.slice(0, -1).join(' '))!;
  const command = prepare(new Command(words.at(-1)!), edges);
  parent.addCommand(command);
  groups.set(path, command);
  return command;
}

function prepare(command: Command, edges: Edges): Command {
  return command
    .exitOverride()
    .configureOutput({ writeOut: edges.stdout, writeErr: edges.stderr })
    .showSuggestionAfterError();
}

/** The longest run of leading words that names a verb. */
function calledVerb(argv: string[], verbs: Verbs): string[] {
  const words = argv.filter((word) => !word.startsWith('-')).slice(0, 3);
  for (let length = words.length; length > 0; length--) {
    const path = words.slice(0, length);
    if (verbs[path.join(' ')]) return path;
  }
  return [];
}

function helpExamples(examples: string[]): string {
  return `Examples:\n${examples.map((example) => `  headstart ${example}\n`).join('')}`;
}
