// image/build/files/unpack-archive.ts: which files of an archive go onto the image, and where?
import { mkdirSync } from 'node:fs';
import { lstat, readdir, readlink } from 'node:fs/promises';
import { join, posix } from 'node:path';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { runTool } from '../../../host/run-tool.ts';
import type { Artifact } from '../../lock/lock.ts';
import type { DiskFile } from '../disk/put-files.ts';

export interface UnpackArchiveDeps {
  run: RunCommand;
  signal?: AbortSignal | undefined;
}

/** `into`: a scratch folder for this archive; the files stay there until they are on the image. */
export async function unpackArchive(
  file: string,
  { component, install }: Pick<Artifact, 'component' | 'install'>,
  into: string,
  { run, signal }: UnpackArchiveDeps,
): Promise<DiskFile[]> {
  mkdirSync(into, { recursive: true, mode: 0o700 });
  const flags = ['--no-same-owner', '--preserve-permissions', '--no-overwrite-dir', '--force-local'];
  await runTool(run, ['tar', '--extract', ...flags, '--file', file, '--directory', into], signal);
  const to = (install?.to ?? '/').replace(/^\/+|\/+$/g, '');
  const files: DiskFile[] = [];
  for (const path of await filesBelow(into)) {
    const place = extractedPath(path, install ?? { to });
    if (place === undefined) continue;
    const from = join(into, path);
    const seen = await lstat(from);
    const target = posix.join(to, place);
    if (seen.isSymbolicLink()) files.push({ path: target, to: await readlink(from) });
    else if (seen.isFile()) files.push({ path: target, mode: seen.mode & 0o7777, from });
    else throw refused(component, `contains ${path}, which is neither a file nor a link`);
  }
  if (files.length === 0) throw refused(component, 'contains none of the files that the manifest selects');
  return files;
}

/** Undefined if the manifest does not select the path. */
export function extractedPath(path: string, { only, strip = 0 }: NonNullable<Artifact['install']>): string | undefined {
  const clean = (text: string) => text.replace(/^\.\//, '');
  const isWanted =
    only === undefined ||
    only.map(clean).some((wanted) => (wanted.endsWith('/') ? path.startsWith(wanted) : path === wanted));
  const place = path.split('/').slice(strip).join('/');
  return isWanted && place !== '' ? place : undefined;
}

/** Does not follow links: their targets are paths on the image. */
async function filesBelow(folder: string, path = ''): Promise<string[]> {
  const entries = await readdir(join(folder, path), { withFileTypes: true });
  const found = await Promise.all(
    entries
      .sort((a, b) => (a.name < b.name ? -1 : 1))
      .map((entry) => {
        const at = posix.join(path, entry.name);
        return entry.isDirectory() ? filesBelow(folder, at) : [at];
      }),
  );
  return found.flat();
}

function refused(component: string, why: string): UserError {
  return new UserError(`the archive ${component} ${why}`, {
    code: 'image/bad-archive',
    kept: 'No image was built.',
    next: 'check `install` of the component in the manifest',
    exitCode: 1,
  });
}
