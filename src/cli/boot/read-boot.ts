// cli/boot/read-boot.ts: the shared options of the boot verbs, and the boots that they name.
import { Argument, type Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import type { BootRecord } from '../../boot/model/record.ts';
import { wrapLines } from '../output/display-width.ts';
import { paint } from '../output/paint.ts';
import { sameCommand } from '../output/same-command.ts';
import { screenOf } from '../output/screen.ts';
import { printable } from '../output/table.ts';
import type { CliDeps } from '../verb.ts';
import { type HostOptions, hostOf, withHostOptions } from './host-options.ts';

export interface BootOptions extends HostOptions {
  input?: string[];
  boot?: string;
  node?: string;
  json?: boolean;
}

export function withBootOptions(command: Command): Command {
  return withInputOptions(command).option('--json', 'print one JSON document');
}

export function withInputOptions(command: Command): Command {
  return withHostOptions(command)
    .option(
      '-i, --input <FILE|DIR|->',
      'read this file, folder or standard input (-) instead of this machine; repeatable',
      appendValue,
    )
    .option('-b, --boot <N|ID|NAME>', WHICH_BOOT)
    .option('--node <NAME>', 'which node, if the inputs are about several: a list of Nodes, events');
}

export const WHICH_BOOT =
  'which boot: 0 for the last one, -1 for the one before it, a boot id, or a heading or unit in a document with several listings';

/** `boot timeline FILE` is short for `boot timeline -i FILE`. For verbs that take no other argument. */
export function withInputArguments(command: Command, key: InputKey = 'input'): Command {
  const argument = new Argument('[FILE...]', 'the same as -i FILE');
  argument.argParser((path: string, earlier: string[] = []) => {
    addInput(command, path, key);
    return [...earlier, path];
  });
  return command.addArgument(argument);
}

/** The name of `-i` in the verb's options. */
export type InputKey = 'input' | 'infile';

export function addInput(command: Command, path: string, key: InputKey): void {
  command.setOptionValue(key, appendValue(path, command.getOptionValue(key)));
}

export function appendValue(value: string, earlier: string[] = []): string[] {
  return [...earlier, value];
}

/** Every boot in the inputs, oldest first; never empty. */
export async function readBoots(options: BootOptions, deps: CliDeps): Promise<BootRecord[]> {
  const { loadInputs } = await import('../../boot/load/load.ts');
  const given = withSentStdin(options, deps);
  const { input, boot } = given.options;
  return loadInputs(input, {
    readStdin: stdinOf(given.deps),
    onWait: (text) => printNote('note', text, deps),
    nowUs: deps.nowUs(),
    ...(boot !== undefined && { boot }),
    ...hostOf(given.options, deps),
    ...(!input && { signal: deps.signal() }),
    ...againAs(deps.typed),
  }).catch(given.explain);
}

export function stdinOf(deps: CliDeps): () => Uint8Array | Iterable<Uint8Array> {
  const { stdinChunks } = deps;
  return stdinChunks
    ? () => stdinChunks(() => printNote('note', 'waiting for standard input', deps))
    : () => deps.readStdin();
}

/** If the user named no input: standard input, if it is a file or a pipe that sends something. */
export function withSentStdin<Options extends { input?: string[]; host?: string }>(
  options: Options,
  deps: CliDeps,
): { options: Options; deps: CliDeps; explain(error: unknown): never } {
  const rethrow = (error: unknown): never => {
    throw error;
  };
  if (options.input || options.host !== undefined || !deps.sentStdin) return { options, deps, explain: rethrow };
  const sent = deps.sentStdin(() => printNote('note', 'waiting for standard input', deps));
  if (sent === 'silent') printNote('note', NOTHING_SENT, deps);
  if (sent === undefined || sent === 'silent') {
    return { options, deps, explain: (error) => throwWithStdinHint(error, deps) };
  }
  const { sentStdin: _, ...others } = deps;
  return {
    options: { ...options, input: ['-'] },
    deps: { ...others, stdinChunks: () => sent },
    explain: throwAboutUnnamed,
  };
}

const NOTHING_SENT =
  'standard input is a pipe that sent nothing, so this is about this machine; -i - waits for standard input';

/** Standard input was read although the user did not name it: it may belong to a script around headstart. */
function throwAboutUnnamed(error: unknown): never {
  if (!(error instanceof UserError)) throw error;
  throw new UserError(error.message, {
    code: error.code,
    ...(error.kept !== undefined && { kept: error.kept }),
    next: `${error.next === undefined ? '' : `${error.next}; `}to read this machine instead, add </dev/null`,
    exitCode: error.exitCode === 1 ? 1 : 2,
    cause: error.cause,
  });
}

/** For hints: the typed command with one input replaced. */
export function againAs(typed: readonly string[] | undefined): { commandWith?: (from: string, to: string) => string } {
  return typed ? { commandWith: (from, to) => sameCommand(typed, { replace: { [from]: to } }) } : {};
}

/** A pipe was silent, and this machine has nothing to show. */
export function throwWithStdinHint(error: unknown, deps: CliDeps): never {
  const isNothingHere = error instanceof UserError && NOTHING_HERE.has(error.code);
  if (!isNothingHere || !deps.isStdinGiven?.()) throw error;
  throw new UserError(error.message, {
    code: error.code,
    ...(error.kept !== undefined && { kept: error.kept }),
    next: `add -i - to read standard input${error.next === undefined ? '' : `, or ${error.next}`}`,
    exitCode: error.exitCode === 1 ? 1 : 2,
    cause: error.cause,
  });
}

/** The errors on a machine without boot data or without cloud-init's log. */
const NOTHING_HERE = new Set(['boot/no-live-boot', 'boot/nothing-found', 'boot/input-unreadable']);

/** For systemd's and cloud-init's own tools, which know nothing of a claim. */
export function isKernelBoot({ clock }: BootRecord): boolean {
  return clock.zero !== 'claim';
}

/** The boot that --boot names; by default the last one. `isMeant`: chooses among these only, if there is one. */
export async function readBoot(
  options: BootOptions,
  deps: CliDeps,
  isMeant: (record: BootRecord) => boolean = () => true,
): Promise<BootRecord> {
  const { bootsOfOneNode, knownBoots, pickBoot } = await import('../../boot/load/pick-boot.ts');
  const given = withSentStdin(options, deps);
  const { input, boot = '0' } = given.options;
  const { sentStdin: _, ...world } = given.deps; // asked once
  const every = await readBoots(given.options, world).catch(given.explain);
  const all = every.some(isMeant) ? every.filter(isMeant) : every;
  // A number or an id chooses among all boots, as it always did.
  const boots = options.boot !== undefined && options.node === undefined ? all : bootsOfOneNode(all, options.node);
  // From this machine, readBoots reads only the requested boot.
  const record = pickBoot(boots, input ? boot : '0');
  if (boots.length > 1 && options.boot === undefined) {
    const others =
      record.name === undefined
        ? '--boot -1 shows the one before'
        : `choose one with --boot NAME or N: ${knownBoots(boots)}`;
    printNote('note', `showing the last of ${boots.length} boots; ${others}`, deps);
  }
  printNotes(record, deps);
  return record;
}

export function printNotes(record: BootRecord, deps: CliDeps): void {
  for (const note of new Set(record.notes.filter((n) => n.level === 'warning').map((n) => n.text))) {
    printNote('warning', note, deps);
  }
}

export function printNote(kind: 'note' | 'warning', text: string, deps: CliDeps): void {
  const screen = screenOf(deps, 'stderr');
  const label = paint(`${kind}:`, kind === 'warning' ? 'warning' : undefined, screen);
  deps.stderr(`${wrapLines(`${label} ${printable(text)}`, screen.columns, 2)}\n`);
}
