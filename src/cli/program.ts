// cli/program.ts: how does a command line become the call of a verb? For every program that is made of verbs.
import { Command, CommanderError, Option } from 'commander';
import { exitCodeOf, renderError, TransientError, UserError } from '../base/errors.ts';
import { asTyped, programName } from './called-as.ts';
import { asksForJson, type CommandLine, readCommandLine } from './command-line.ts';
import { type HelpText, layOutHelp, SHARED_GROUPS } from './help.ts';
import { depsFor, errorWithOptions } from './output/hint-options.ts';
import { isAnswer, printError } from './output/json.ts';
import type { CliDeps, Verb } from './verb.ts';
import { traceIfVerbose, verboseOption } from './verbose.ts';
import { unknownWord, usageError } from './wrong-word.ts';

export interface VerbEntry {
  /** An imperative phrase: `Show what took longest`. */
  summary: string;
  /** The heading above it in the help of its group. */
  heading?: string;
  load(): Promise<{ verb: Verb }>;
}

export type Groups = Readonly<Record<string, { summary: string; examples: string[]; heading?: string }>>;
export type Verbs = Readonly<Record<string, VerbEntry>>;

export interface CliProgram {
  /** What the program does, in one sentence without its full stop. */
  summary: string;
  groups: Groups;
  verbs: Verbs;
  examples: string[];
  /** Rewrites a command line in the syntax of another program, such as systemd-analyze. */
  translate?(argv: string[]): string[];
}

/** Runs one command line and returns its exit code; never throws for a user's mistake. */
export async function runProgram(program: CliProgram, given: string[], real: CliDeps): Promise<number> {
  const named = namesOf(program, real);
  const deps: CliDeps = { ...real, named, stderr: (text) => real.stderr(inMessages(text, named)) };
  const { argv, stop } = traceIfVerbose(given, deps);
  const json = asksForJson(argv) ? watchAnswer(deps) : undefined;
  try {
    const typed = depsFor(argv, json?.deps ?? deps);
    return await runCommandLine(program, asVersion(program.translate?.(argv) ?? argv), typed);
  } catch (error) {
    const hinted = withTexts(errorWithOptions(error, argv), named);
    deps.stderr(`${renderError(hinted)}\n`);
    if (json && !json.isAnswered()) {
      try {
        printError(deps, hinted);
      } catch (unwritable) {
        deps.stderr(`${renderError(unwritable)}\n`);
      }
    }
    return exitCodeOf(error);
  } finally {
    stop();
  }
}

/** Adapts the commands in a text to the name by which the program was called. */
function namesOf({ groups, verbs }: CliProgram, { calledAs }: CliDeps): (text: string) => string {
  const paths = [...Object.keys(groups), ...Object.keys(verbs)];
  return (text) => asTyped(text, programName(calledAs), paths);
}

/** Errors and hints; what a verb passes on from other programs stays as it is. */
function inMessages(text: string, named: (text: string) => string): string {
  return /^(?:error|warning|note|next):/m.test(text) ? named(text) : text;
}

/** The same error with its texts changed. */
function withTexts(error: unknown, change: (text: string) => string): unknown {
  if (!(error instanceof UserError || error instanceof TransientError)) return error;
  const texts: { message: string; kept?: string | undefined; next?: string | undefined } = error;
  texts.message = change(texts.message);
  if (texts.kept !== undefined) texts.kept = change(texts.kept);
  if (texts.next !== undefined) texts.next = change(texts.next);
  return error;
}

async function runCommandLine(program: CliProgram, argv: string[], deps: CliDeps): Promise<number> {
  const kindOf = (path: string) =>
    Object.hasOwn(program.verbs, path) ? 'verb' : Object.hasOwn(program.groups, path) ? 'group' : undefined;
  const called = readCommandLine(argv, kindOf);
  const { path, rest, unknown } = called;
  if (unknown !== undefined) {
    throw unknownWord(path, unknown, [...Object.keys(program.groups), ...Object.keys(program.verbs)]);
  }
  if (!called.isHelp && kindOf(path.join(' ')) !== 'verb') throw optionBeforeVerb(path, rest[0]!);
  let exitCode = 0;
  const { top, verb } = await buildCommand(program, called, deps, (code) => {
    exitCode = code;
  });
  const isHelp = called.isHelp || (verb !== undefined && isOnlyHelp(verb, rest));
  try {
    await top.parseAsync([...path, ...(isHelp ? ['--help'] : rest)], { from: 'user' });
    return exitCode;
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.exitCode === 0) return 0;
    throw error.code === 'commander.excessArguments' && verb && rest.length > 0
      ? tooManyArguments(verb, path)
      : usageError(plainMessage(error), path);
  }
}

/** Declares every group and verb by name; loads only the called verb and declares its options. */
async function buildCommand(
  program: CliProgram,
  { path: called }: CommandLine,
  deps: CliDeps,
  onExit: (code: number) => void,
): Promise<{ top: Command; verb?: Command }> {
  const { summary, groups, verbs, examples } = program;
  const named = namesOf(program, deps);
  const top = prepare(new Command(programName(deps.calledAs)), deps, { examples }, named)
    .description(summary)
    .usage('COMMAND [options]');
  if (verbs.version) top.option('-V, --version', 'print the version');
  const commands = new Map<string, Command>([['', top]]);
  const add = (path: string, entry: { summary: string; heading?: string }, text: HelpText) => {
    const words = path.split(' ');
    const command = prepare(new Command(words.at(-1)!), deps, text, named).description(entry.summary);
    if (entry.heading !== undefined) command.helpGroup(entry.heading);
    commands.get(words.slice(0, -1).join(' '))!.addCommand(command);
    commands.set(path, command);
    return command;
  };
  for (const [path, group] of Object.entries(groups)) add(path, group, group).usage('COMMAND [options]');
  for (const [path, entry] of Object.entries(verbs)) {
    if (path !== called.join(' ')) {
      add(path, entry, { examples: [] });
      continue;
    }
    const { verb } = await entry.load();
    const command = add(path, entry, verb);
    declareOptions(command, verb);
    command.action(async (...values: unknown[]) => {
      const self = values.at(-1) as Command;
      onExit((await verb.run(self.args, self.opts(), deps)) ?? 0);
    });
  }
  const verb = commands.get(called.join(' '));
  return { top, ...(verb && { verb }) };
}

/** `boot timeline help` prints the help; a file of that name can be given as ./help. A required argument may have the value `help`. */
function isOnlyHelp({ registeredArguments }: Command, rest: readonly string[]): boolean {
  return rest.length === 1 && rest[0] === 'help' && !registeredArguments.some(({ required }) => required);
}

/** Declares the verb's own options, and those of every verb. */
export function declareOptions(command: Command, verb: Verb): void {
  verb.configure(command);
  for (const option of command.options) if (option.long === '--json') outputOption(option);
  command.addOption(outputOption(verboseOption())).addHelpOption(outputOption(helpOption()));
}

function prepare(command: Command, deps: CliDeps, text: HelpText, named: (text: string) => string): Command {
  return command
    .exitOverride()
    .helpCommand(false) // command-line.ts reads the word, in every position
    .addHelpOption(helpOption())
    .configureHelp({ formatHelp: (self, help) => layOutHelp(self, help, text, named) })
    .configureOutput({
      writeOut: deps.stdout,
      outputError: () => {}, // runProgram prints it like every other error
      getOutHelpWidth: () => helpColumns(deps),
    })
    .showSuggestionAfterError();
}

/** The width of the terminal, or COLUMNS; at most 120, because longer lines are hard to read. */
function helpColumns({ env, columnsOf }: CliDeps): number {
  const columns = (/^[1-9]\d*$/.test(env.COLUMNS ?? '') ? Number(env.COLUMNS) : columnsOf?.('stdout')) || 80;
  return Math.min(Math.max(columns, 40), 120);
}

function helpOption(): Option {
  return new Option('-h, --help', 'print this help');
}

function outputOption(option: Option): Option {
  return option.helpGroup(SHARED_GROUPS.output);
}

/** `--version` runs the verb `version`, so that it accepts --json. */
function asVersion(argv: string[]): string[] {
  return argv[0] === '-V' || argv[0] === '--version' ? ['version', ...argv.slice(1)] : argv;
}

/** Groups have no options except help. */
function optionBeforeVerb(group: readonly string[], option: string): UserError {
  const isVersion = group.length === 0 && option === '-v';
  const hint = isVersion ? '; did you mean -V, --version?' : '; options come after the command';
  return usageError(`unknown option '${option}'${hint}`, group);
}

function tooManyArguments(verb: Command, path: readonly string[]): UserError {
  const [first = ''] = verb.args.slice(verb.registeredArguments.length);
  const name = ['headstart', ...path].join(' ');
  return new UserError(`\`${name}\` does not take the argument '${first}'`, {
    code: 'cli/usage',
    next: `${name} --help`,
  });
}

/** commander's message on one line, without its own prefix: `unknown option '--inptu'; did you mean --input?` */
function plainMessage({ message }: CommanderError): string {
  return message
    .replace(/^error: /, '')
    .replace(/\.?\n\(Did you mean (?:one of )?(.*?)\?\)$/s, '; did you mean $1?')
    .replace(/\.$/, '')
    .replace(/^unknown option '-v'$/, "unknown option '-v'; did you mean --verbose?");
}

/** Tracks whether the answer was printed, so that no Error document follows it. */
function watchAnswer(deps: CliDeps): { deps: CliDeps; isAnswered(): boolean } {
  let last = '';
  const stdout = (text: string) => {
    last = text;
    deps.stdout(text);
  };
  return { deps: { ...deps, stdout }, isAnswered: () => isAnswer(last) };
}
