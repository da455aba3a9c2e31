// container/lock-packages.ts: pins the Debian packages of the image to what apt offers now: `node src/container/lock-packages.ts`.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runCommand } from '../base/command.ts';
import { exitCodeOf, renderError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files.ts';
import { DEBIAN_PACKAGES } from './debian-files.ts';
import { downloadDebian, openDebian } from './fetch-debian.ts';
import { LOCK_FILE, type LockedDeb, type PackageLock, sha256Of } from './locked-packages.ts';
import { IMAGE_PLATFORMS } from './platform.ts';

async function lockFor(architecture: string): Promise<LockedDeb[]> {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-lock-'));
  try {
    const archives = await downloadDebian(DEBIAN_PACKAGES, folder, runCommand, architecture);
    return await Promise.all(
      archives.map(async (archive) => {
        const { name, version } = await openDebian(archive, runCommand);
        return { name, version, sha256: sha256Of(readFileSync(archive)) };
      }),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  try {
    const locks = IMAGE_PLATFORMS.map(async ({ architecture }) => [architecture, await lockFor(architecture)] as const);
    const lock = Object.fromEntries(await Promise.all(locks)) as PackageLock;
    writeFileAtomic(LOCK_FILE, `${JSON.stringify(lock, null, 2)}\n`, 0o644);
  } catch (error) {
    process.stderr.write(`${renderError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
