// image/test/temporary-home.ts: a home for one test VM. The run removes it at the end; if the run is killed, the next one does.
import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { writeFileAtomic } from '../../base/files.ts';
import { type Processes, readMark, systemProcesses } from '../../base/process-mark.ts';
import { makeTemporaryFolder } from '../../host/temporary-folder.ts';
import type { LocalPools } from '../../vms/qemu/local-provider.ts';
import { readSmall } from '../build/build-folder.ts';
import { TEST_POOL } from './boot-image.ts';

export interface TemporaryHomeDeps {
  /** The folder for temporary files. */
  parent: string;
  uid: number;
  open(home: string): Promise<{ pools: Pick<LocalPools, 'deletePool'> }>;
  processes?: Processes;
}

const PREFIX = 'headstart-image-test-';
const OWNER = 'owner.json';

/** `isKept`: the home and its VM stay, and later runs do not remove them. */
export async function withTemporaryHome<T>(
  deps: TemporaryHomeDeps,
  { isKept }: { isKept: boolean },
  work: (home: string) => Promise<T>,
): Promise<T> {
  const { parent, processes = systemProcesses } = deps;
  await removeAbandoned(deps, processes);
  const home = makeTemporaryFolder(parent, PREFIX);
  writeFileAtomic(join(home, OWNER), `${JSON.stringify(isKept ? {} : (processes.own() ?? {}))}\n`, 0o600);
  try {
    return await work(home);
  } finally {
    if (!isKept) await remove(home, deps);
  }
}

/** Removes homes of killed runs, whose VMs still run. */
async function removeAbandoned(deps: TemporaryHomeDeps, processes: Processes): Promise<void> {
  // If the folder cannot be read, the next step says why.
  const names = (await readdir(deps.parent).catch(() => [])).filter((name) => name.startsWith(PREFIX));
  for (const home of names.map((name) => join(deps.parent, name))) {
    // The folder is shared with other users, so the name proves nothing: check the owner.
    const stat = await lstat(home).catch(() => undefined);
    if (!stat?.isDirectory() || stat.uid !== deps.uid) continue;
    const owner = await readSmall(join(home, OWNER))
      .then((text) => readMark(JSON.parse(text)))
      .catch(() => undefined);
    if (owner && processes.isGone(owner)) await remove(home, deps).catch(() => undefined); // the next run tries again
  }
}

async function remove(home: string, { open }: TemporaryHomeDeps): Promise<void> {
  await (await open(home)).pools.deletePool(TEST_POOL);
  await rm(home, { recursive: true, force: true });
}
