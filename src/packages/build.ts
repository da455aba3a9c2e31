// packages/build.ts: makes what users install: `node src/packages/build.ts [FOLDER]`. The same sources and lock give the same bytes.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { exitCodeOf, renderError } from '../base/errors.ts';
import { makeRelease } from './artefacts.ts';

const ROOT = join(import.meta.dirname, '../..');

if (import.meta.main) {
  const [folder = join(ROOT, 'out/dist')] = process.argv.slice(2);
  try {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for await (const { name, bytes, mode } of makeRelease(ROOT, folder)) {
      writeFileSync(join(folder, name), bytes, { mode });
      process.stdout.write(`${join(folder, name)}  ${(bytes.length / 1e6).toFixed(1)} MB\n`);
    }
  } catch (error) {
    process.stderr.write(`${renderError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
