// container/fetch-debian.ts: fetches Debian packages as apt trusts them and opens them, without installing anything or touching apt's own state.
import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseTar } from 'nanotar';
import type { Argv, RunCommand } from '../base/command.ts';
import { UserError } from '../base/errors.ts';
import type { DebianPackage } from './debian-files.ts';

const FETCH_TIMEOUT_MS = 300_000;

/** Leaves the packages in `folder`, which has to be empty. */
export async function fetchDebian(names: readonly string[], folder: string, run: RunCommand): Promise<DebianPackage[]> {
  const downloads = join(folder, 'packages');
  mkdirSync(downloads);
  await download(names, downloads, join(folder, 'apt'), run);
  const archives = readdirSync(downloads).sort();
  return Promise.all(archives.map((archive) => open(join(downloads, archive), run)));
}

async function download(names: readonly string[], into: string, ownState: string, run: RunCommand): Promise<void> {
  // apt writes where it stands. As root it would rather download as another user, who may not write there.
  const fetch = (options: string[]): Argv => [
    ...(['env', `--chdir=${into}`, 'apt-get', '-qq', '-o', 'APT::Sandbox::User=root'] as const),
    ...options,
    'download',
    ...names,
  ];
  const first = await run(fetch([]), { timeoutMs: FETCH_TIMEOUT_MS });
  if (first.code === 0) return;
  // No package lists, or stale ones. Lists of our own can be fetched by anyone; the machine's are for its owner to renew.
  for (const part of ['state/lists/partial', 'cache/archives/partial']) {
    mkdirSync(join(ownState, part), { recursive: true });
  }
  const own = ['-o', `Dir::State=${join(ownState, 'state')}`, '-o', `Dir::Cache=${join(ownState, 'cache')}`];
  await run(['apt-get', '-qq', '-o', 'APT::Sandbox::User=root', ...own, 'update'], { timeoutMs: FETCH_TIMEOUT_MS });
  const second = await run(fetch(own), { timeoutMs: FETCH_TIMEOUT_MS });
  if (second.code === 0) return;
  throw new UserError(`apt-get could not download ${names.join(', ')}: ${second.stderr.trim()}`, {
    code: 'container/no-packages',
    next: 'build on Debian or Ubuntu, with a package mirror within reach',
    exitCode: 1,
  });
}

async function open(archive: string, run: RunCommand): Promise<DebianPackage> {
  const [fields, content] = await Promise.all([
    run(['dpkg-deb', '--field', archive, 'Package', 'Version']),
    run(['dpkg-deb', '--fsys-tarfile', archive]),
  ]);
  if (fields.code !== 0 || content.code !== 0)
    throw new Error(`cannot open ${archive}: ${fields.stderr}${content.stderr}`);
  const [, name = '', version = ''] = /^Package: (.+)\nVersion: (.+)$/m.exec(fields.stdout.toString()) ?? [];
  // A copy: the parser reads from the start of the memory behind a buffer, which others may share.
  const files = parseTar(new Uint8Array(content.stdout)).filter((entry) => entry.type === 'file');
  return {
    name,
    version,
    files: new Map(files.map((file) => [file.name.replace(/^\.?\//, ''), file.data ?? new Uint8Array()])),
  };
}
