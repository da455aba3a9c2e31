// cluster/local/programs/programs.ts: the programs of one version of Kubernetes: from the cache, or built once with Go from tools/kube.

import { accessSync, constants, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { ensureCacheFolder, writeToCache } from '../../../base/cache-folder.ts';
import type { CallOptions } from '../../../base/call-options.ts';
import { UserError } from '../../../base/errors.ts';
import { lockName } from '../../../host/lock-name.ts';
import { withLock } from '../../../host/locks.ts';
import { buildProgram, ensureBuildSpace, type KubeProgram, type ProgramBuildDeps } from './build-program.ts';

/** The version in tools/kube/go.mod: the only one that can be built. */
export const BUILT_VERSION = 'v1.35.8';

/** The servers of `cluster up`, and kubectl for its user. */
export const PLANE_PROGRAMS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
] as const;

export interface ProgramDeps extends ProgramBuildDeps {
  /** The cache folder of this user; see `cacheFolder`. */
  cache: string;
}

export const programsFolder = (cache: string, version: string) => join(cache, 'kube', checkVersion(version));

/** In the cache folder, which all homes share. */
export const programLock = (version: string, program: string) =>
  lockName(`program-${checkVersion(version)}-${program}`);

/** Accepts `1.35.8` and `v1.35.8`. The version becomes part of a path. */
export function checkVersion(text: string): string {
  const [, version] = /^v?(1\.\d{1,3}\.\d{1,3})$/.exec(text) ?? [];
  if (version !== undefined) return `v${version}`;
  throw new UserError(`${JSON.stringify(text)} is not a version of Kubernetes`, {
    code: 'cluster/bad-version',
    next: `give three numbers, as in ${BUILT_VERSION}`,
  });
}

/** Programs that the folder does not have. */
export function missingPrograms(folder: string, programs: readonly KubeProgram[]): KubeProgram[] {
  return programs.filter((name) => !isProgram(join(folder, name)));
}

/** Returns their folder. A second process that needs the same program waits until it is built. */
export async function ensurePrograms(
  programs: readonly KubeProgram[],
  version: string,
  deps: ProgramDeps,
  call: CallOptions = {},
): Promise<string> {
  const folder = programsFolder(deps.cache, version);
  const missing = missingPrograms(folder, programs);
  if (missing.length > 0 && checkVersion(version) !== BUILT_VERSION) throw cannotBuild(version);
  for (const name of missing) await ensureProgram(name, version, deps, call);
  return folder;
}

async function ensureProgram(name: KubeProgram, version: string, deps: ProgramDeps, call: CallOptions): Promise<void> {
  const folder = programsFolder(deps.cache, version);
  const target = join(folder, name);
  if (isProgram(target)) return;
  ensureCacheFolder(deps.cache);
  await ensureBuildSpace(deps.cache, name, deps);
  const lock = { name: programLock(version, name), why: `building ${name}` };
  await withLock(deps.cache, lock, call, async () => {
    if (isProgram(target)) return; // another process was faster
    ensureCacheFolder(folder);
    const partial = `.partial-${name}-`;
    // We hold the lock, so these are left from a killed process.
    for (const old of readdirSync(folder).filter((entry) => entry.startsWith(partial)))
      rmSync(join(folder, old), { recursive: true });
    const temporary = writeToCache(folder, () => mkdtempSync(join(folder, partial)));
    try {
      await buildProgram({ name, version: checkVersion(version), output: join(temporary, name) }, deps, call);
      renameSync(join(temporary, name), target);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });
}

function cannotBuild(version: string): UserError {
  return new UserError(
    `the programs of Kubernetes ${version} are not installed, and only ${BUILT_VERSION} can be built`,
    {
      code: 'cluster/no-programs',
      kept: 'Nothing was started.',
      next: `leave out --kubernetes, or give a folder with the programs of ${version}: --programs DIR`,
    },
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
