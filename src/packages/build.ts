// packages/build.ts: makes what users install: `node src/packages/build.ts [FOLDER]`. The same sources and lock give the same bytes.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../base/command.ts';
import { exitCodeOf, renderError } from '../base/errors.ts';
import { bundleProgram } from '../container/bundle.ts';
import { packNpm } from './npm/pack.ts';
import { npmFiles } from './npm/package-files.ts';
import { readProduct } from './product.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface Artefact {
  name: string;
  bytes: Uint8Array;
  mode: number;
}

/** Yields each as soon as it is made: an executable has a hundred megabytes. */
export async function* makeArtefacts(root: string, folder: string): AsyncGenerator<Artefact> {
  const product = readProduct(root);
  const modules = await bundleProgram(root, { kind: 'modules', extension: '.mjs' });
  yield {
    name: `${product.name}-${product.version}.tgz`,
    bytes: await packNpm(npmFiles(product, modules), { run: runCommand, folder }),
    mode: 0o644,
  };
}

if (import.meta.main) {
  const [folder = join(ROOT, 'out/dist')] = process.argv.slice(2);
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for await (const { name, bytes, mode } of makeArtefacts(ROOT, folder)) {
      writeFileSync(join(folder, name), bytes, { mode });
      process.stdout.write(`${join(folder, name)}  ${(bytes.length / 1e6).toFixed(1)} MB\n`);
    }
  } catch (error) {
    process.stderr.write(`${renderError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
