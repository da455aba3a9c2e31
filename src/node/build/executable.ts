// node/build/executable.ts: one script and the Node.js that runs it as one file. Same script, same Node.js: same bytes.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { withElfNote } from './elf.ts';

/**
 * Of the process on the node. What runs for a moment and then waits gains nothing from code that is compiled while it runs, and a process that
 * writes no code need not be allowed to. A nursery of this size is collected more often and keeps what the daemon holds while it waits
 * far below what Node.js takes by default; nothing that whoever starts it has in the environment changes how it runs.
 */
const RUN_FLAGS = ['--max-semi-space-size=2', '--jitless'];

export const SEA_CONFIG = {
  main: 'start.cjs',
  output: 'headstart.blob',
  disableExperimentalSEAWarning: true,
  useCodeCache: true,
  execArgv: RUN_FLAGS,
  execArgvExtension: 'none',
  assets: { script: 'script', compiled: 'compiled' },
} as const;

/** V8 numbers what it compiles from a seed; a fixed one makes the same code of the same script, and does not change what fits at run time. */
const PREPARE_FLAGS = [...RUN_FLAGS, '--random-seed=1'];
const COMPILE = 'compile.cjs';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';
const NOTE = 'NODE_SEA_BLOB';
const PREPARE_MS = 120_000;

export interface ExecutableParts {
  script: string;
  /** The Node.js that it is prepared with, and that it becomes. */
  node: string;
}

/** `folder` is where it may work; nothing of it stays. */
export async function makeExecutable(
  { script, node }: ExecutableParts,
  { run, folder }: { run: RunCommand; folder: string },
): Promise<Buffer> {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, '.preparing-'));
  try {
    const inWork = (name: string) => join(work, name);
    // A function, so that what it declares is its own.
    writeFileSync(inWork(SEA_CONFIG.assets.script), `(() => {${script}\n})`);
    writeFileSync(inWork(SEA_CONFIG.main), readFileSync(new URL(SEA_CONFIG.main, import.meta.url)));
    // The names are part of what is made, so they are those of no machine.
    writeFileSync(inWork('sea.json'), JSON.stringify(SEA_CONFIG));
    const prepare = async (...args: string[]) => {
      const argv = ['env', '--unset=NODE_OPTIONS', '--chdir', work, node, ...PREPARE_FLAGS, ...args] as const;
      const ran = await run(argv, { timeoutMs: PREPARE_MS });
      if (ran.code !== 0) throw cannotBuild(`${node} could not prepare it (${ran.outcome}): ${ran.stderr.trim()}`);
    };
    await prepare(fileURLToPath(new URL(COMPILE, import.meta.url)));
    await prepare('--experimental-sea-config', 'sea.json');
    return withElfNote(fused(readFileSync(node)), { name: NOTE, content: readFileSync(inWork(SEA_CONFIG.output)) });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Only with this one character set does Node.js look for a script in itself. */
export function fused(program: Buffer): Buffer {
  const at = program.indexOf(`${FUSE}0`);
  if (at < 0 || program.indexOf(`${FUSE}0`, at + 1) >= 0) {
    throw cannotBuild('this Node.js was not built to become part of a single executable');
  }
  const made = Buffer.from(program);
  made.write('1', at + FUSE.length);
  return made;
}

function cannotBuild(why: string): UserError {
  return new UserError(`the executable of headstart node cannot be built: ${why}`, {
    code: 'node/cannot-build',
    kept: 'No executable was written.',
    next: 'make install, then try again',
    exitCode: 1,
  });
}
