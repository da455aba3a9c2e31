// node/build/executable.ts: how do a script and Node.js become one executable? The same script and Node.js give the same bytes.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { RunCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { withElfNote } from './elf.ts';

/**
 * For the process on the node. A process that works briefly and then waits gains nothing from a JIT, and without a JIT it needs no memory that is
 * both writable and executable. A small nursery is collected more often and keeps the memory of the waiting daemon far below the default of
 * Node.js. NODE_OPTIONS in the environment is ignored (execArgvExtension).
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

/** V8 uses a random seed when it compiles. With a fixed seed the same script gives the same code cache, which V8 still accepts at run time. */
const PREPARE_FLAGS = [...RUN_FLAGS, '--random-seed=1'];
const COMPILE = 'compile.cjs';
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';
const NOTE = 'NODE_SEA_BLOB';
const PREPARE_MS = 120_000;

export interface ExecutableParts {
  script: string;
  /** The Node.js that prepares the script and that the executable contains. */
  node: string;
}

/** `folder` is for temporary files, which are deleted. */
export async function makeExecutable(
  { script, node }: ExecutableParts,
  { run, folder }: { run: RunCommand; folder: string },
): Promise<Buffer> {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, '.preparing-'));
  try {
    const inWork = (name: string) => join(work, name);
    // In a function, so that its declarations are not global.
    writeFileSync(inWork(SEA_CONFIG.assets.script), `(() => {${script}\n})`);
    writeFileSync(inWork(SEA_CONFIG.main), readFileSync(new URL(SEA_CONFIG.main, import.meta.url)));
    // Relative names, because they become part of the executable.
    writeFileSync(inWork('sea.json'), JSON.stringify(SEA_CONFIG));
    const prepare = async (...args: string[]) => {
      const argv = ['env', '--unset=NODE_OPTIONS', '--chdir', work, node, ...PREPARE_FLAGS, ...args] as const;
      const ran = await run(argv, { timeoutMs: PREPARE_MS });
      if (ran.code !== 0)
        throw cannotBuild(`${node} failed to prepare the script (${ran.outcome}): ${ran.stderr.trim()}`);
    };
    await prepare(fileURLToPath(new URL(COMPILE, import.meta.url)));
    await prepare('--experimental-sea-config', 'sea.json');
    return withElfNote(fused(readFileSync(node)), { name: NOTE, content: readFileSync(inWork(SEA_CONFIG.output)) });
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Node.js looks for an embedded script only if this fuse is 1. */
export function fused(program: Buffer): Buffer {
  const at = program.indexOf(`${FUSE}0`);
  if (at < 0 || program.indexOf(`${FUSE}0`, at + 1) >= 0) {
    throw cannotBuild('this Node.js does not support single executables');
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
