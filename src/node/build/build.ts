// node/build/build.ts: is there an executable of this source tree? If not, build it. `node src/node/build/build.ts [FILE]`.
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runCommand } from '../../base/command.ts';
import { exitCodeOf, renderError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/files.ts';
import { bundleNode } from './bundle.ts';
import { makeExecutable, SEA_CONFIG } from './executable.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

export interface Executable {
  path: string;
  /** Hash of all inputs: the same key means the same bytes. */
  key: string;
  isNew: boolean;
}

/** Cached below out/. The bundle is built every time, which is fast; the executable only if the key is new. */
export async function ensureExecutable(root = ROOT, node = realpathSync(process.execPath)): Promise<Executable> {
  const { script, licences } = await bundleNode(root);
  const key = keyOf(script, node);
  const folder = join(root, 'out/node');
  const path = join(folder, `headstart-${key.slice(0, 16)}`);
  if (existsSync(path)) return { path, key, isNew: false };
  const bytes = await makeExecutable({ script, node }, { run: runCommand, folder });
  writeFileAtomic(licencesPath(path), `${licenceOfNode(node)}\n${licences}`, 0o644);
  writeFileAtomic(path, bytes, 0o755); // last, because its existence means that the build is complete
  removeOthers(folder, path);
  return { path, key, isNew: true };
}

/** Each has about 100 MB. Deleting an executable that runs does not affect the process. */
function removeOthers(folder: string, path: string): void {
  for (const name of readdirSync(folder)) {
    const other = join(folder, name);
    if (/^headstart-[0-9a-f]{16}(?:\.licences\.txt)?$/.test(name) && !other.startsWith(path))
      rmSync(other, { force: true });
  }
}

function licencesPath(path: string): string {
  return `${path}.licences.txt`;
}

function licenceOfNode(node: string): string {
  const file = join(dirname(node), '../LICENSE');
  return existsSync(file) ? `== node\n\n${readFileSync(file, 'utf8').trim()}\n` : '';
}

function keyOf(script: string, node: string): string {
  const hash = createHash('sha256');
  // The code of this folder is an input too.
  for (const name of ['build.ts', 'bundle.ts', 'elf.ts', 'executable.ts', 'sea.ts', 'compile.cjs', 'start.cjs'])
    hash.update(sourceOf(name));
  return hash.update(JSON.stringify(SEA_CONFIG)).update(readFileSync(node)).update(script).digest('hex');
}

function sourceOf(name: string): Buffer {
  return readFileSync(new URL(name, import.meta.url));
}

if (import.meta.main) {
  try {
    const { path, key, isNew } = await ensureExecutable();
    const to = process.argv[2] ?? join(ROOT, 'out/headstart-node');
    mkdirSync(dirname(to), { recursive: true });
    // Copy to a new name and rename, because a running program cannot be overwritten.
    copyFileSync(licencesPath(path), licencesPath(to));
    copyFileSync(path, `${to}.new`);
    renameSync(`${to}.new`, to);
    process.stdout.write(`${to}  ${key.slice(0, 16)}  ${isNew ? 'built' : 'unchanged'}\n`);
  } catch (error) {
    process.stderr.write(`${renderError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
