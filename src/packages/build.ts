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
    const onWarning = (text: string) => process.stderr.write(`warning: ${text}\n`);
    for await (const { name, bytes, mode } of makeRelease({ root: ROOT, folder, onWarning })) {
      writeFileSync(join(folder, name), bytes, { mode });
      process.stdout.write(`${join(folder, name)}  ${Math.ceil(bytes.length / 1000).toLocaleString('en')} kB\n`);
    }
  } catch (error) {
    process.stderr.write(`${renderError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
