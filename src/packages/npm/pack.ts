// packages/npm/pack.ts: makes the npm package with `npm pack` from a folder with exactly its files. The same files give the same bytes.
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RunCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import type { LayerFile } from '../../container/layer.ts';

const PACK_MS = 120_000;

/** `folder` is for temporary files, which are deleted. */
export async function packNpm(
  files: readonly LayerFile[],
  { run, folder }: { run: RunCommand; folder: string },
): Promise<Uint8Array> {
  mkdirSync(folder, { recursive: true });
  const work = mkdtempSync(join(folder, '.npm-'));
  try {
    const staged = join(work, 'package');
    writeFiles(files, staged);
    const ran = await run(['npm', 'pack', staged, '--pack-destination', work, '--ignore-scripts', '--loglevel=error'], {
      timeoutMs: PACK_MS,
      env: npmEnv(process.env),
    });
    const archive = readdirSync(work).find((name) => name.endsWith('.tgz'));
    if (ran.code !== 0 || archive === undefined) {
      throw new UserError(`npm could not pack the package (${ran.outcome}): ${ran.stderr.trim()}`, {
        code: 'packages/cannot-pack',
        kept: 'No package was written.',
        next: 'install npm 9 or newer, then try again',
        exitCode: 1,
      });
    }
    return readFileSync(join(work, archive));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** npm keeps the modes of files, which depend on the umask unless they are set; it sets times, owners and the order itself. */
export function writeFiles(files: readonly LayerFile[], folder: string): void {
  for (const { path, bytes, isExecutable } of files) {
    const to = join(folder, path);
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, bytes);
    chmodSync(to, isExecutable ? 0o755 : 0o644);
  }
}

/** The pinned Node.js first, because its zlib compresses; no settings of the user. */
export function npmEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !/^npm_(?!config_(registry|cache|.*proxy|cafile)$)/i.test(name));
  return { ...Object.fromEntries(own), PATH: `${dirname(process.execPath)}:${env.PATH ?? ''}` };
}
