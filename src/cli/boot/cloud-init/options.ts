// cli/boot/cloud-init/options.ts: the options, the input and the output of the four cloud-init verbs.
import { closeSync, openSync } from 'node:fs';
import { type Command, Option } from 'commander';
import { UserError } from '../../../base/errors.ts';
import { ToolCrash } from '../../../boot/compat/cloud-init/exact/compat-crash.ts';
import { compatEvents, EmptyFile } from '../../../boot/compat/cloud-init/exact/compat-events.ts';
import { type CompatVersion, compatVersion, NEWEST } from '../../../boot/compat/cloud-init/exact/compat-version.ts';
import type { PythonValue } from '../../../boot/compat/cloud-init/exact/python-json.ts';
import { joinLogs, pickLog } from '../../../boot/compat/cloud-init/read/pick-log.ts';
import { readDump } from '../../../boot/compat/cloud-init/read/read-dump.ts';
import { type ParsedLog, readLog } from '../../../boot/compat/cloud-init/read/read-log.ts';
import { looksLikeDump } from '../../../boot/compat/cloud-init/read/recognise.ts';
import { bootsOf, type CloudInitBoot } from '../../../boot/compat/cloud-init/stages.ts';
import type { Input } from '../../../boot/load/input.ts';
import { InputLimits } from '../../../boot/load/input-limits.ts';
import { type InputGroup, openInputs } from '../../../boot/load/open-inputs.ts';
import { writeAnswerFile } from '../../output/answer-file.ts';
import { API_VERSION } from '../../output/json.ts';
import { printable } from '../../output/table.ts';
import type { CliDeps } from '../../verb.ts';
import { type HostOptions, hostOf, withHostOptions } from '../host-options.ts';
import { valueOrInput } from '../input-words.ts';
import { againAs, appendValue, printNote, stdinOf, withInputArguments, withSentStdin } from '../read-boot.ts';

export interface CloudInitOptions extends HostOptions {
  infile?: string[];
  input?: string[];
  outfile?: string;
  compat?: string | true;
  json?: boolean;
}

const LIVE_LOG = '/var/log/cloud-init.log';

export function withCloudInitOptions(command: Command): Command {
  return withHostOptions(withInputArguments(command, 'infile'))
    .option(
      '-i, --infile <FILE|DIR|->',
      `read this file, folder or standard input (-) instead of ${LIVE_LOG}; repeatable`,
      appendValue,
    )
    .addOption(new Option('--input <FILE|DIR|->').argParser(appendValue).hideHelp())
    .option('-o, --outfile <FILE|->', 'write to this file instead of standard output')
    .option(
      '--compat [VERSION]',
      `print exactly what this version of cloud-init analyze prints (default: ${NEWEST})`,
      valueOrInput(command, 'infile'),
    )
    .option('--json', 'print one JSON document');
}

export function pathsOf(options: CloudInitOptions): string[] {
  const paths = [...(options.infile ?? []), ...(options.input ?? [])];
  return paths.length > 0 ? paths : [LIVE_LOG];
}

interface OpenedLog {
  input: Input;
  kind?: 'log' | 'dump';
  /** Prints what could not be read. */
  warn(): void;
}

/** The log of --host, or the log or dump that the paths name; in folders and archives, finds it by its content. */
async function openLog(options: CloudInitOptions, deps: CliDeps): Promise<OpenedLog> {
  const paths = pathsOf(options);
  const isNamed = options.infile !== undefined || options.input !== undefined;
  const { host } = hostOf({ ...options, ...(isNamed && { input: paths }) }, deps);
  if (host) {
    const { readRemoteCloudInitLog } = await import('../../../boot/collect/read-remote.ts');
    printNote('note', `reading ${host.name} over ssh`, deps);
    const input = await readRemoteCloudInitLog({ ...host, host: host.name, signal: deps.signal() });
    return { input, kind: 'log', warn: () => {} };
  }
  const opening = { limits: new InputLimits(), onWait: (text: string) => printNote('note', text, deps) };
  const groups: InputGroup[] = [];
  for (const path of paths) groups.push(...(await openInputs(path, stdinOf(deps), opening)));
  // A truncated file is noticed only when all of it was read.
  const warn = () => {
    for (const text of groups.flatMap(({ problems }) => problems.splice(0)))
      deps.stderr(`warning: ${printable(text)}\n`);
  };
  const [only] = groups;
  if (groups.length === 1 && !only!.isFolder) return { input: only!.inputs[0]!, warn };
  const picked = pickLog(groups.flatMap((group) => group.inputs));
  if (picked) return { ...picked, warn };
  if (groups.every((group) => !group.isFolder))
    return { input: joinLogs(groups.flatMap((group) => group.inputs)), kind: 'log', warn };
  throw new UserError(`no cloud-init log and no cloud-init analyze dump in ${paths.join(', ')}`, {
    code: 'boot/no-cloud-init-log',
    next: 'name the log itself: -i cloud-init.log',
  });
}

export interface CloudInitBoots extends ParsedLog {
  /** Iterates lazily; each call starts again. */
  boots(): Iterable<CloudInitBoot>;
  input: Input;
}

/** Reads the events without the errors that --compat reproduces. Prints warnings on stderr; throws if there are no cloud-init events. */
export async function readCloudInit(options: CloudInitOptions, deps: CliDeps): Promise<CloudInitBoots> {
  const given = withPipedLog(options, deps);
  const { input, kind, warn } = await openLog(given.options, given.deps).catch(given.explain);
  const isDump = kind === 'dump' || (kind === undefined && looksLikeDump(input.head) > 0);
  const read = isDump ? readDump(input) : readLog(input, deps.nowUs());
  warn();
  for (const note of read.notes)
    deps.stderr(`${note.level === 'warning' ? 'warning' : 'note'}: ${printable(note.text)}\n`);
  if (bootsOf(read.events).next().done) {
    const { packedFormatOf, unrecognised } = await import('../../../boot/load/unrecognised.ts');
    if (packedFormatOf(input.head)) throw unrecognised(input, againAs(deps.typed).commandWith);
    throw new UserError(
      `no cloud-init events in ${input.name}: expected "start:" and "finish:" reports and "Cloud-init v." banners, found ` +
        (input.head.length === 0 ? 'an empty file' : 'none that can be read'),
      {
        code: 'boot/no-cloud-init-events',
        exitCode: 1,
        next: 'check that this is cloud-init.log and that its level is DEBUG',
      },
    );
  }
  return { ...read, boots: () => bootsOf(read.events), input };
}

/** The real tool reads only what it is given, so this is not for --compat. */
function withPipedLog(options: CloudInitOptions, deps: CliDeps) {
  return options.infile
    ? { options, deps, explain: (error: unknown) => Promise.reject(error) }
    : withSentStdin(options, deps);
}

/** Prints what the real tool prints, and returns its exit code. If `answer` throws a ToolCrash, prints only the reason. */
export async function runCompat(
  options: CloudInitOptions,
  deps: CliDeps,
  answer: (events: PythonValue, version: CompatVersion) => string | { text: string; code: number; word?: string },
): Promise<number> {
  const version = compatVersion(options.compat!);
  const paths = pathsOf(options);
  const opened = await openLog(options, deps).catch((error: unknown) => {
    if (error instanceof UserError && error.code === 'boot/input-unreadable') return undefined;
    throw error;
  });
  if (!opened) return cannotOpen(paths.join(' '), deps);
  const output = openOutput(options.outfile);
  if (output === undefined) return cannotOpen(options.outfile!, deps);
  try {
    const events = compatEvents(opened.input, version, {
      year: new Date(deps.nowUs() / 1000).getFullYear(),
      secondsOf: version.readsUtc ? (seconds) => seconds : localZone(),
      onSkip: () => deps.stderr('Skipping invalid entry\n'),
    });
    opened.warn();
    const given = answer(events, version);
    const { text, code, word } = typeof given === 'string' ? { text: given, code: 0, word: undefined } : given;
    output(text, deps);
    if (word !== undefined) deps.stderr(`${word}\n`);
    return code;
  } catch (error) {
    if (error instanceof EmptyFile) deps.stderr(`Empty file ${paths[0] === '-' ? '<stdin>' : paths[0]}\n`);
    else if (error instanceof ToolCrash)
      deps.stderr(`cloud-init analyze ${version.name} crashes here: ${error.message}\n`);
    else throw error;
    return 1;
  }
}

function cannotOpen(path: string, deps: CliDeps): number {
  deps.stderr(`Cannot open file ${path}\n`);
  return 1;
}

/** Opens and truncates the file before anything is read, like the real tool. */
function openOutput(path: string | undefined): ((text: string, deps: CliDeps) => void) | undefined {
  if (path === undefined || path === '-') return (text, deps) => deps.stdout(text);
  try {
    closeSync(openSync(path, 'w'));
  } catch {
    return undefined;
  }
  return (text) => writeAnswerFile(path, text, 'boot/output-unwritable');
}

export function writeAnswer({ outfile }: CloudInitOptions, deps: CliDeps, text: string): void {
  if (outfile === undefined || outfile === '-') deps.stdout(text);
  else writeAnswerFile(outfile, text, 'boot/output-unwritable');
}

export function writeJsonAnswer(options: CloudInitOptions, deps: CliDeps, kind: string, body: object): void {
  writeAnswer(options, deps, `${JSON.stringify({ apiVersion: API_VERSION, kind, ...body }, null, 2)}\n`);
}

/** The local time zone: old versions read every timestamp as local time. The offset is cached for 15 minutes of log time. */
function localZone(): (civilSeconds: number) => number {
  let quarter = Number.NaN;
  let offset = 0;
  return (civil) => {
    if (Math.floor(civil / 900) !== quarter) {
      quarter = Math.floor(civil / 900);
      offset = localSeconds(civil) - civil;
    }
    return civil + offset;
  };
}

function localSeconds(civil: number): number {
  const utc = new Date(civil * 1000);
  const local = new Date(0);
  local.setFullYear(utc.getUTCFullYear(), utc.getUTCMonth(), utc.getUTCDate());
  local.setHours(utc.getUTCHours(), utc.getUTCMinutes(), utc.getUTCSeconds(), 0);
  return local.getTime() / 1000;
}
