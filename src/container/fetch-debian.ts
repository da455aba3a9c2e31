// container/fetch-debian.ts: downloads Debian packages with apt's verification and unpacks them, without installing or changing apt's state.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseTar } from 'nanotar';
import type { Argv, RunCommand } from '../base/command.ts';
import { UserError } from '../base/errors.ts';
import type { DebianPackage } from './debian-files.ts';

const FETCH_TIMEOUT_MS = 300_000;

/** `folder` must be empty; the packages stay there. Without `architecture`: of this machine. */
export async function fetchDebian(
  names: readonly string[],
  folder: string,
  run: RunCommand,
  architecture?: string,
): Promise<DebianPackage[]> {
  const archives = await downloadDebian(names, folder, run, architecture);
  return Promise.all(archives.map((archive) => openDebian(archive, run)));
}

/** The same without unpacking: the paths of the packages, sorted. A name may have a version: `libc6=2.36-9`. */
export async function downloadDebian(
  names: readonly string[],
  folder: string,
  run: RunCommand,
  architecture?: string,
): Promise<string[]> {
  const downloads = join(folder, 'packages');
  mkdirSync(downloads);
  await download(names, downloads, join(folder, 'apt'), run, architecture);
  return readdirSync(downloads)
    .sort()
    .map((archive) => join(downloads, archive));
}

async function download(
  names: readonly string[],
  into: string,
  ownState: string,
  run: RunCommand,
  architecture: string | undefined,
): Promise<void> {
  // apt writes to the current folder. As root, apt would download as another user, who may not write there.
  const fetch = (options: string[]): Argv => [
    ...(['env', `--chdir=${into}`, 'apt-get', '-qq', '-o', 'APT::Sandbox::User=root'] as const),
    ...options,
    'download',
    ...names,
  ];
  if (architecture === undefined) {
    const first = await run(fetch([]), { timeoutMs: FETCH_TIMEOUT_MS });
    if (first.code === 0) return;
  }
  // No package lists, outdated ones, or of another architecture. Download separate lists: the machine's lists belong to its administrator.
  for (const part of ['state/lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(ownState, part), { recursive: true });
  }
  const own = optionsOf({
    'Dir::State': join(ownState, 'state'),
    'Dir::Cache': join(ownState, 'cache'),
    // The second replaces the architectures that dpkg knows, which are this machine's.
    ...(architecture !== undefined && { 'APT::Architecture': architecture, 'APT::Architectures': architecture }),
  });
  await run(['apt-get', '-qq', '-o', 'APT::Sandbox::User=root', ...own, 'update'], { timeoutMs: FETCH_TIMEOUT_MS });
  const second = await run(fetch(own), { timeoutMs: FETCH_TIMEOUT_MS });
  if (second.code === 0) return;
  throw new UserError(`apt-get could not download ${names.join(', ')}: ${second.stderr.trim()}`, {
    code: 'container/no-packages',
    next: 'build on Debian or Ubuntu, with access to a package mirror',
    exitCode: 1,
  });
}

function optionsOf(settings: Record<string, string>): string[] {
  return Object.entries(settings).flatMap(([name, value]) => ['-o', `${name}=${value}`]);
}

export async function openDebian(archive: string, run: RunCommand): Promise<DebianPackage> {
  const [fields, content] = await Promise.all([
    run(['dpkg-deb', '--field', archive, 'Package', 'Version']),
    run(['dpkg-deb', '--fsys-tarfile', archive]),
  ]);
  if (fields.code !== 0 || content.code !== 0)
    throw new Error(`cannot open ${archive}: ${fields.stderr}${content.stderr}`);
  const [, name = '', version = ''] = /^Package: (.+)\nVersion: (.+)$/m.exec(fields.stdout.toString()) ?? [];
  // A copy, because the parser reads from the start of the buffer's memory, which may be shared.
  const files = parseTar(new Uint8Array(content.stdout)).filter((entry) => entry.type === 'file');
  return {
    name,
    version,
    files: new Map(files.map((file) => [file.name.replace(/^\.?\//, ''), file.data ?? new Uint8Array()])),
  };
}
