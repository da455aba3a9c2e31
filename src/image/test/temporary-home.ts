// image/test/temporary-home.ts: a home for one VM that is looked at and forgotten. It goes with whoever made it, or with the next one to come.
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/files.ts';
import { type Processes, readMark, systemProcesses } from '../../base/process-mark.ts';
import type { LocalPools } from '../../vms/qemu/local-factory.ts';
import { readSmall } from '../build/build-folder.ts';
import { TEST_POOL } from './boot-image.ts';

export interface TemporaryHomeDeps {
  /** Where homes are made: a folder for files that come and go. */
  parent: string;
  uid: number;
  open(home: string): Promise<{ pools: Pick<LocalPools, 'deletePool'> }>;
  processes?: Processes;
}

const PREFIX = 'headstart-image-test-';
const OWNER = 'owner.json';

/** `isKept`: everything stays as it is at the end, VM included, and nobody sweeps it away. */
export async function withTemporaryHome<T>(
  deps: TemporaryHomeDeps,
  { isKept }: { isKept: boolean },
  work: (home: string) => Promise<T>,
): Promise<T> {
  const { parent, processes = systemProcesses } = deps;
  await sweep(deps, processes);
  const home = await mkdtemp(join(parent, PREFIX));
  writeFileAtomic(join(home, OWNER), `${JSON.stringify(isKept ? {} : (processes.own() ?? {}))}\n`, 0o600);
  try {
    return await work(home);
  } finally {
    if (!isKept) await remove(home, deps);
  }
}

/** Whoever was killed could not; its VM still runs. */
async function sweep(deps: TemporaryHomeDeps, processes: Processes): Promise<void> {
  const names = (await readdir(deps.parent)).filter((name) => name.startsWith(PREFIX));
  for (const home of names.map((name) => join(deps.parent, name))) {
    // In a folder that others write to as well, a name is no proof.
    const stat = await lstat(home).catch(() => undefined);
    if (!stat?.isDirectory() || stat.uid !== deps.uid) continue;
    const owner = await readSmall(join(home, OWNER))
      .then((text) => readMark(JSON.parse(text)))
      .catch(() => undefined);
    if (owner && processes.isGone(owner)) await remove(home, deps).catch(() => undefined); // a later sweep comes
  }
}

async function remove(home: string, { open }: TemporaryHomeDeps): Promise<void> {
  await (await open(home)).pools.deletePool(TEST_POOL);
  await rm(home, { recursive: true, force: true });
}
