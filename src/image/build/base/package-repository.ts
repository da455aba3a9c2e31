// image/build/base/package-repository.ts: how does apt install exactly the locked packages? From a local repository: one folder, one index, no network.
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WaitReporter } from '../../../base/call-options.ts';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { runTool } from '../../../host/run-tool.ts';
import type { Cache } from '../../fetch/cache.ts';
import type { Artifact } from '../../lock/lock.ts';

export interface Package {
  name: string;
  version: string;
  /** Installed size. */
  bytes: number;
}

export interface PackageRepository {
  /** A line for sources.list. */
  source: string;
  packages: readonly Package[];
}

export interface RepositoryDeps {
  cache: Cache;
  run: RunCommand;
  signal?: AbortSignal | undefined;
  onWaiting?: WaitReporter | undefined;
}

const AT_ONCE = 4;

/** Hashes every package again. The repository is trusted because the hashes are in the lock; apt checks them once more. */
export async function makePackageRepository(
  debs: readonly Artifact[],
  folder: string,
  deps: RepositoryDeps,
): Promise<PackageRepository> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const entries: IndexEntry[] = new Array(debs.length);
  let [next, done] = [0, 0];
  const work = async () => {
    for (let at = next++; at < debs.length; at = next++) {
      entries[at] = await addPackage(debs[at]!, `${at}.deb`, folder, deps);
      deps.onWaiting?.('the packages to be verified', tenths(++done, debs.length));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  writeFileSync(join(folder, 'Packages'), `${entries.map(({ text }) => text).join('\n\n')}\n`);
  // Not `file:`, because apt would leave the packages in place, where dpkg in the image cannot see them.
  return { source: `deb [trusted=yes] copy:${encodeURI(folder)} ./`, packages: entries.map(({ about }) => about) };
}

interface IndexEntry {
  about: Package;
  text: string;
}

async function addPackage(deb: Artifact, name: string, folder: string, deps: RepositoryDeps): Promise<IndexEntry> {
  const { cache, run, signal } = deps;
  const file = await cache.open(deb, { signal });
  symlinkSync(file, join(folder, name));
  const control = (await runTool(run, ['dpkg-deb', '--field', file], signal)).trimEnd();
  return { about: packageOf(control, deb), text: indexEntry(control, deb, name) };
}

/** An entry of a package index: the control fields plus path, size and hash. */
function indexEntry(control: string, { bytes, sha256 }: Pick<Artifact, 'bytes' | 'sha256'>, file: string): string {
  return `${control.trimEnd()}\nFilename: ./${file}\nSize: ${bytes}\nSHA256: ${sha256}`;
}

function packageOf(control: string, { component, version: locked }: Pick<Artifact, 'component' | 'version'>): Package {
  const field = (name: string) => new RegExp(`^${name}: *(.*)$`, 'm').exec(control)?.[1]?.trim();
  const [name, version] = [field('Package'), field('Version')];
  if (name !== undefined && version === locked)
    return { name, version, bytes: 1024 * Number(field('Installed-Size') ?? 0) };
  throw new UserError(
    `the package ${component} does not match the lock: expected version ${locked}, got ${name ?? 'no name'} ${version ?? 'without version'}`,
    {
      code: 'image/wrong-package',
      kept: 'No image was built.',
      next: 'make a new lock: headstart image lock',
      exitCode: 1,
    },
  );
}

/** In steps of ten percent, because each report is a line in a log. */
function tenths(done: number, all: number): number {
  return 10 * Math.floor((10 * done) / all);
}
