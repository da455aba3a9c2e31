// node/build/build.ts: is there an executable of this very tree, and if not, make one. `node src/node/build/build.ts [FILE]`.
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
  /** Of what it was made from: the same key, the same bytes. */
  key: string;
  isNew: boolean;
}

/** Kept below out/: the bundle is made every time, which takes a moment, and the rest only when it differs. */
export async function ensureExecutable(root = ROOT, node = realpathSync(process.execPath)): Promise<Executable> {
  const { script, licences } = await bundleNode(root);
  const key = keyOf(script, node);
  const folder = join(root, 'out/node');
  const path = join(folder, `headstart-${key.slice(0, 16)}`);
  if (existsSync(path)) return { path, key, isNew: false };
  const bytes = await makeExecutable({ script, node }, { run: runCommand, folder });
  writeFileAtomic(licencesBeside(path), `${licenceOfNode(node)}\n${licences}`, 0o644);
  writeFileAtomic(path, bytes, 0o755); // last: what is looked for
  removeOthers(folder, path);
  return { path, key, isNew: true };
}

/** Each is a hundred megabytes. One that runs is not hurt by losing its name. */
function removeOthers(folder: string, path: string): void {
  for (const name of readdirSync(folder)) {
    const other = join(folder, name);
    if (/^headstart-[0-9a-f]{16}(?:\.licences\.txt)?$/.test(name) && !other.startsWith(path))
      rmSync(other, { force: true });
  }
}

/** What those whose work is in it want said, for whoever ships it. */
function licencesBeside(path: string): string {
  return `${path}.licences.txt`;
}

function licenceOfNode(node: string): string {
  const file = join(dirname(node), '../LICENSE');
  return existsSync(file) ? `== node\n\n${readFileSync(file, 'utf8').trim()}\n` : '';
}

function keyOf(script: string, node: string): string {
  const hash = createHash('sha256');
  // This folder's own code is part of what decides: a change to how it is made is another executable.
  for (const name of ['build.ts', 'bundle.ts', 'elf.ts', 'executable.ts', 'compile.cjs', 'start.cjs'])
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
    // Beside its place and renamed: a program that runs cannot be written to.
    copyFileSync(licencesBeside(path), licencesBeside(to));
    copyFileSync(path, `${to}.new`);
    renameSync(`${to}.new`, to);
    process.stdout.write(`${to}  ${key.slice(0, 16)}  ${isNew ? 'built' : 'as it was'}\n`);
  } catch (error) {
    process.stderr.write(`${renderError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
