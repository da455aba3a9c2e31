// node/observe/read-node.ts: which release, size and overrides does this node have? Reads below `root`, so that tests can use a folder.
import { readdirSync } from 'node:fs';
import { availableParallelism, totalmem } from 'node:os';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import type { Override } from '../document/document.ts';
import { MAX_TEXT_BYTES } from '../document/unwrap.ts';
import { type ImageFacts, type MachineSize, RELEASE_FILE } from './facts.ts';
import { readPlainFile } from './plain-file.ts';
import { noRelease, parseImageRelease } from './release.ts';

export const OVERRIDE_FOLDER = 'etc/headstart/node.d';
export const LOCAL_OVERRIDE = 'etc/headstart/node-override.yaml';

/** Throws a UserError if the file is missing or invalid. */
export function readRelease(root: string): ImageFacts {
  const path = join(root, RELEASE_FILE);
  const bytes = read(path);
  if (bytes === undefined) throw noRelease(path);
  return parseImageRelease(Buffer.from(bytes).toString('utf8'), { path });
}

export function readMachine(): MachineSize {
  return { cpus: availableParallelism(), memoryBytes: totalmem() };
}

/** The drop-ins sorted by name, then the local override, which has precedence. */
export function readOverrides(root: string): Override[] {
  const names = [...dropIns(join(root, OVERRIDE_FOLDER)).map((name) => `${OVERRIDE_FOLDER}/${name}`), LOCAL_OVERRIDE];
  return names.flatMap((name) => {
    const bytes = read(join(root, name));
    return bytes === undefined ? [] : [{ name, bytes }];
  });
}

function dropIns(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => /^[^.].*\.(?:yaml|yml|json)$/.test(name))
      .sort();
  } catch (error) {
    if (isAbsent(error)) return [];
    throw error;
  }
}

function read(path: string): Uint8Array | undefined {
  try {
    return readPlainFile(path, MAX_TEXT_BYTES);
  } catch (cause) {
    throw new UserError((cause as Error).message, {
      code: 'config/not-readable',
      kept: 'The running configuration was not changed.',
      next: 'make it a plain file of at most 1 MiB that root can read, or remove it',
      exitCode: 1,
      cause,
    });
  }
}

function isAbsent(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ENOENT';
}
