// image/build/base/package-repository.ts: the locked packages as a repository that apt can install from: one folder, one index, no network.
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
  /** What it takes once it is installed. */
  bytes: number;
}

export interface PackageRepository {
  /** A line as in sources.list. */
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

/** Every package is hashed anew. It is trusted because its hash is in the lock; apt checks that hash once more. */
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
  // Not `file:`: apt would leave the packages where they are, which dpkg cannot see from inside the image.
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
  return { about: aboutOf(control, deb), text: indexEntry(control, deb, name) };
}

/** As in an archive's index: what the package says of itself, and where it is. */
function indexEntry(control: string, { bytes, sha256 }: Pick<Artifact, 'bytes' | 'sha256'>, file: string): string {
  return `${control.trimEnd()}\nFilename: ./${file}\nSize: ${bytes}\nSHA256: ${sha256}`;
}

function aboutOf(control: string, { component, version: locked }: Pick<Artifact, 'component' | 'version'>): Package {
  const field = (name: string) => new RegExp(`^${name}: *(.*)$`, 'm').exec(control)?.[1]?.trim();
  const [name, version] = [field('Package'), field('Version')];
  if (name !== undefined && version === locked)
    return { name, version, bytes: 1024 * Number(field('Installed-Size') ?? 0) };
  throw new UserError(`the package ${component} says it is ${name ?? 'nameless'} ${version ?? ''}, not ${locked}`, {
    code: 'image/wrong-package',
    kept: 'No image was made.',
    next: 'make the lock anew: headstart image lock',
    exitCode: 1,
  });
}

/** In a log every change is a line. */
function tenths(done: number, all: number): number {
  return 10 * Math.floor((10 * done) / all);
}
