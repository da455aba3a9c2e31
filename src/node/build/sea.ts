// node/build/sea.ts: how do files become part of a Node.js program, as a single executable application? The same files and program give the
// same bytes.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { withElfNote } from './elf.ts';

/** The part of Node's configuration that the executables of headstart use. All paths are names of files. */
export interface SeaConfig {
  main: string;
  output: string;
  disableExperimentalSEAWarning: true;
  useCodeCache: boolean;
  execArgv: readonly string[];
  /** NODE_OPTIONS in the environment is ignored. */
  execArgvExtension: 'none';
  assets: Readonly<Record<string, string>>;
}

export interface BlobRequest {
  config: SeaConfig;
  /** By name; all that the configuration names. */
  files: ReadonlyMap<string, string | Uint8Array>;
  /** The Node.js that prepares them; its version must be the version in the executable. */
  node: string;
  flags: readonly string[];
  /** A script that runs first, in the folder with the files, and may add some. */
  first?: string;
}

const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2:';
const NOTE = 'NODE_SEA_BLOB';
const PREPARE_MS = 120_000;

/** `folder` is for temporary files, which are deleted. */
export async function prepareBlob(
  { config, files, node, flags, first }: BlobRequest,
  { run, folder }: { run: RunCommand; folder: string },
): Promise<Buffer> {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, '.preparing-'));
  try {
    for (const [name, content] of files) writeFileSync(join(work, name), content);
    // Relative names, because they become part of the executable.
    writeFileSync(join(work, 'sea.json'), JSON.stringify(config));
    const prepare = async (...args: string[]) => {
      const argv = ['env', '--unset=NODE_OPTIONS', '--chdir', work, node, ...flags, ...args] as const;
      const ran = await run(argv, { timeoutMs: PREPARE_MS });
      if (ran.code !== 0)
        throw cannotBuild(`${node} failed to prepare the script (${ran.outcome}): ${ran.stderr.trim()}`);
    };
    if (first !== undefined) await prepare(first);
    await prepare('--experimental-sea-config', 'sea.json');
    return readFileSync(join(work, config.output));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

export function withBlob(program: Buffer, blob: Buffer): Buffer {
  return withElfNote(fused(program), { name: NOTE, content: blob });
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
  return new UserError(`the executable of headstart cannot be built: ${why}`, {
    code: 'node/cannot-build',
    kept: 'No executable was written.',
    next: 'make install, then try again',
    exitCode: 1,
  });
}
