// cli/complete/boot-values.ts: which units, milestones and boots do the inputs on the command line, or this machine, have?
import { statSync } from 'node:fs';
import { runCommand } from '../../base/command.ts';
import { ownWorker } from '../../base/own-files/own-files.ts';
import { MILESTONE_NAMES } from '../../boot/model/record.ts';
import type { BootKind } from './boot-names.ts';
import type { BootQuestion } from './boot-names-worker.ts';
import type { CompletionCandidate } from './command-syntax.ts';
import type { TypedCommand } from './decide.ts';

export interface BootValuesDeps {
  nowUs: number;
  /** What `~` expands to. */
  userHome: string | undefined;
  signal: AbortSignal;
}

export async function bootValues(
  kind: BootKind,
  given: TypedCommand,
  text: string,
  deps: BootValuesDeps,
): Promise<CompletionCandidate[]> {
  const named = inputsOf(given).map((path) => path.replace(/^~(?=\/|$)/, deps.userHome ?? '~'));
  if (named.length === 0) return liveValues(kind, deps);
  const inputs = named.filter(isReadable);
  if (inputs.length === 0 || deps.signal.aborted) return [];
  const boot = given.options.get('--boot')?.at(-1) ?? '0';
  return askWorker({ kind, inputs, boot: kind === 'boots' ? '0' : boot, text, nowUs: deps.nowUs }, deps.signal);
}

/** The inputs of a verb. `--after` is a file in `compare`, and a pair of units in `what-if`. */
function inputsOf({ path, options, files }: TypedCommand): string[] {
  const names = path === 'boot compare' ? ['--before', '--after'] : ['--input', '--infile'];
  return [...files, ...names.flatMap((name) => options.get(name) ?? [])];
}

/** Excludes standard input, which is the terminal, and pipes, which can be read only once. */
function isReadable(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  return path !== '-' && (stat?.isFile() === true || stat?.isDirectory() === true);
}

function askWorker(question: BootQuestion, signal: AbortSignal): Promise<CompletionCandidate[]> {
  return new Promise((resolve) => {
    const worker = ownWorker(new URL('./boot-names-worker.ts', import.meta.url), {
      workerData: question,
      stdout: true,
      stderr: true,
    });
    const end = (found: CompletionCandidate[]) => {
      signal.removeEventListener('abort', onAbort);
      resolve(found);
      void worker.terminate();
    };
    const onAbort = () => end([]);
    signal.addEventListener('abort', onAbort, { once: true });
    worker.once('message', end);
    worker.once('error', () => end([]));
    worker.once('exit', () => end([]));
  });
}

/** Lists unit names only: reading the whole boot takes too long for a key press. */
async function liveValues(kind: BootKind, { signal }: BootValuesDeps): Promise<CompletionCandidate[]> {
  if (kind === 'boots') return LIVE_BOOTS;
  if (kind !== 'units' && kind !== 'targets') return [];
  const milestones = kind === 'targets' ? MILESTONE_NAMES.map((value) => ({ value, summary: 'milestone' })) : [];
  const listed = await runCommand(
    ['systemctl', 'list-units', '--all', '--plain', '--no-legend', '--no-pager', '--full'],
    { signal, maxBytes: 4 << 20 },
  );
  return [...milestones, ...(listed.code === 0 ? unitsListed(listed.stdout.toString()) : [])];
}

export const LIVE_BOOTS: CompletionCandidate[] = [
  { value: '0', summary: 'the last boot' },
  { value: '-1', summary: 'the boot before' },
];

/** Parses lines `UNIT LOAD ACTIVE SUB DESCRIPTION`; returns only active units. */
export function unitsListed(text: string): CompletionCandidate[] {
  return text.split('\n').flatMap((line) => {
    const [, value, active, summary = ''] = /^\s*(\S+\.\S+)\s+\S+\s+(\S+)\s+\S+\s*(.*)$/.exec(line) ?? [];
    return value === undefined || active !== 'active' ? [] : [{ value, summary }];
  });
}
