// node/build/executable.ts: how do the script of a node and Node.js become one executable?
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { RunCommand } from '../../base/command.ts';
import { prepareBlob, withBlob } from './sea.ts';

/**
 * For the process on the node. A process that works briefly and then waits gains nothing from a JIT, and without a JIT it needs no memory that is
 * both writable and executable. A small nursery is collected more often and keeps the memory of the waiting daemon far below the default of
 * Node.js.
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

export interface ExecutableParts {
  script: string;
  /** The Node.js that prepares the script and that the executable contains. */
  node: string;
}

/** `folder` is for temporary files, which are deleted. */
export async function makeExecutable(
  { script, node }: ExecutableParts,
  deps: { run: RunCommand; folder: string },
): Promise<Buffer> {
  const files = new Map<string, string | Uint8Array>([
    // In a function, so that its declarations are not global.
    [SEA_CONFIG.assets.script, `(() => {${script}\n})`],
    [SEA_CONFIG.main, readFileSync(new URL(SEA_CONFIG.main, import.meta.url))],
  ]);
  const first = fileURLToPath(new URL(COMPILE, import.meta.url));
  const blob = await prepareBlob({ config: SEA_CONFIG, files, node, flags: PREPARE_FLAGS, first }, deps);
  return withBlob(readFileSync(node), blob);
}
