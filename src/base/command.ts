// base/command.ts: runs a program with a timeout and a limit on its output. Failures are results, never exceptions.
import { spawn } from 'node:child_process';
import { shownArgv } from './shown-argv.ts';
import { isTraced, trace } from './trace.ts';

/** cut: the output reached its limit and the program was killed; `stdout` has the output until then. */
export type CommandOutcome = 'exited' | 'missing' | 'timed-out' | 'cut' | 'aborted';

export interface CommandResult {
  outcome: CommandOutcome;
  /** Null unless the program exited by itself. */
  code: number | null;
  stdout: Buffer;
  stderr: string;
}

export interface CommandOptions {
  timeoutMs?: number;
  /** Limit for standard output; the program is killed if it writes more. */
  maxBytes?: number;
  signal?: AbortSignal | undefined;
  /** The whole environment. Default: inherit. */
  env?: NodeJS.ProcessEnv;
  /** Written to standard input, which is then closed. */
  input?: string | Uint8Array;
  /** Receives standard error while the program runs, for programs that talk to the user. */
  onStderr?: (text: string) => void;
}

/** Program and arguments, never a shell string. */
export type Argv = readonly [program: string, ...args: string[]];
export type RunCommand = (argv: Argv, options?: CommandOptions) => Promise<CommandResult>;

const DEFAULT_TIMEOUT_MS = 30_000;
const DEFAULT_MAX_BYTES = 64 << 20;
const MAX_STDERR_CHARS = 64 << 10;

export const runCommand: RunCommand = ([program, ...args], options = {}) => {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxBytes = DEFAULT_MAX_BYTES, signal, env, input, onStderr } = options;
  if (signal?.aborted) return Promise.resolve(result('aborted', null, [], ''));
  const beganMs = performance.now();
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      ...(env && { env }),
    });
    const chunks: Buffer[] = [];
    let length = 0;
    let stderr = '';
    const deadline = setTimeout(() => end('timed-out'), timeoutMs);
    const abort = () => end('aborted');
    signal?.addEventListener('abort', abort, { once: true });

    const settle = (outcome: CommandOutcome, code: number | null) => {
      clearTimeout(deadline);
      signal?.removeEventListener('abort', abort);
      if (isTraced()) traceEnd([program, ...args], outcome, code, performance.now() - beganMs);
      resolve(result(outcome, code, chunks, stderr));
    };
    // A grandchild may keep the pipes open after the program has ended, so do not wait for the pipes.
    const end = (outcome: CommandOutcome) => {
      child.kill('SIGKILL');
      child.stdout?.destroy();
      child.stderr?.destroy();
      settle(outcome, null);
    };

    child.on('error', (error: NodeJS.ErrnoException) => {
      stderr += error.message;
      settle('missing', null);
    });
    child.on('close', (code) => settle('exited', code));
    child.stdout?.on('data', (chunk: Buffer) => {
      chunks.push(chunk.subarray(0, maxBytes - length));
      length += chunk.length;
      if (length > maxBytes) end('cut');
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (stderr.length < MAX_STDERR_CHARS) stderr += text;
      onStderr?.(text);
    });
    child.stdin?.on('error', () => {}); // the program may exit without reading its input
    child.stdin?.end(input);
  });
};

/** Without input and environment, because both contain secrets. */
function traceEnd(argv: readonly string[], outcome: CommandOutcome, code: number | null, tookMs: number): void {
  trace('run', `${shownArgv(argv)}: ${outcome}${code === null ? '' : ` ${code}`} in ${Math.round(tookMs)} ms`);
}

function result(outcome: CommandOutcome, code: number | null, chunks: Buffer[], stderr: string): CommandResult {
  return { outcome, code, stdout: Buffer.concat(chunks), stderr };
}
