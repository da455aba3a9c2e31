// demo/stage.ts: runs the demo's commands: shows each one as you would type it, runs it, and shows its output.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { UserError } from '../src/base/errors.ts';
import { writeAll } from '../src/cli/streams.ts';

export interface Stage {
  /** Scratch and results: bundles, the report. */
  folder: string;
  signal: AbortSignal;
  act(title: string): void;
  say(text: string): void;
  /** Shows the command and streams its output. Returns the answer. */
  headstart(...args: string[]): Promise<string>;
  /** Shows the command and its answer, without progress. */
  brief(...args: string[]): Promise<string>;
  /** Runs a command for the demo itself, without showing it. */
  ask(...args: string[]): Promise<string>;
}

export interface StageOptions {
  root: string;
  folder: string;
  home: string;
  signal: AbortSignal;
}

interface Shown {
  story: boolean;
  answer: boolean;
}

export function openStage({ root, folder, home, signal }: StageOptions): Stage {
  const startedMs = performance.now();
  const env = { ...process.env, HEADSTART_HOME: home, HEADSTART_VMS: 'qemu' };
  const run = async (args: readonly string[], { story, answer: isShown }: Shown): Promise<string> => {
    signal.throwIfAborted();
    const child = spawn(join(root, 'headstart'), args, {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', story ? 'inherit' : 'pipe'],
    });
    let [answer, complaint] = ['', ''];
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      answer += text;
      if (isShown) writeAll(1, text);
    });
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint += text;
    });
    // A terminal's Ctrl-C reaches the child as well; a signal to the demo alone does not.
    const interrupt = () => child.kill('SIGINT');
    signal.addEventListener('abort', interrupt, { once: true });
    const code = await new Promise<number | null>((resolve, reject) => {
      child.on('error', reject);
      child.on('close', resolve);
    });
    signal.removeEventListener('abort', interrupt);
    signal.throwIfAborted();
    if (code !== 0) throw failed(args, code, complaint, folder);
    return answer;
  };
  return {
    folder,
    signal,
    act: (title) => {
      const seconds = Math.round((performance.now() - startedMs) / 1000);
      writeAll(1, `\n== ${title}  (${Math.floor(seconds / 60)} min ${seconds % 60} s since the start)\n`);
    },
    say: (text) => writeAll(1, `${text}\n`),
    headstart: (...args) => {
      show(args);
      return run(args, { story: true, answer: true });
    },
    brief: (...args) => {
      show(args);
      return run(args, { story: false, answer: true });
    },
    ask: (...args) => run(args, { story: false, answer: false }),
  };
}

function show(args: readonly string[]): void {
  writeAll(1, `\n$ headstart ${args.map(typed).join(' ')}\n`);
}

function failed(args: readonly string[], code: number | null, complaint: string, folder: string): UserError {
  const said = complaint.trim() && `: ${complaint.trim()}`;
  return new UserError(`headstart ${args.join(' ')} ended with ${code}${said}`, {
    code: 'demo/failed',
    kept: `What was collected so far is in ${folder}.`,
    next: 'run it again; QUICK=1 is the short demo',
    exitCode: 1,
  });
}

function typed(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
