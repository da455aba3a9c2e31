// cluster/local/control-plane.ts: a control plane on this machine that outlives the command which started it: bring it up, take it down.
// Its processes and its folder are the truth; whatever a killed command left behind is found and used by the next.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { CallOptions } from '../../base/call-options.ts';
import { UserError } from '../../base/errors.ts';
import { isFull } from '../../host/json-file.ts';
import { withLock } from '../../host/locks.ts';
import { deletingPrefix } from '../../host/whole-folders.ts';
import {
  type ClusterPlace,
  clusterFiles,
  clusterLock,
  clustersFolder,
  ensureFolder,
  noSpace,
} from './cluster-files.ts';
import { planUp, type UpStep } from './plan-up.ts';
import type { PlaneDeps } from './plane-deps.ts';
import { readPlaneState } from './read-plane.ts';
import { SERVERS, type Server } from './server-flags.ts';
import { stopServers } from './stop-servers.ts';
import { type PlaneCall, type UpOptions, UpRun, Vanished } from './up-run.ts';

/** etcd takes 64 MiB for its journal at once, twice, and ends badly without. */
const NEEDED_BYTES = 256 << 20;

/** Returns when all servers are healthy, with what was done. Whatever it had started is stopped again when it fails or is interrupted. */
export function upPlane(place: ClusterPlace, options: UpOptions, deps: PlaneDeps, call: PlaneCall): Promise<UpStep[]> {
  const { folder } = clusterFiles(place);
  return withLock(place.home, { name: clusterLock(place.name), why: 'bringing the cluster up' }, call, async () => {
    const run = new UpRun(place, options, deps, call);
    const done: UpStep[] = [];
    const converge = async () => {
      const steps = planUp(await readPlaneState(place, options, deps));
      ensureFolder(place);
      if (steps.some((step) => step.do === 'start')) await ensureSpace(folder, deps);
      for (const step of steps) {
        await run.take(step);
        done.push(step);
      }
      for (const server of SERVERS) await run.awaitHealthy(server);
    };
    for (;;) {
      try {
        await converge();
        // What is in the cluster could not be asked about before the API server ran.
        if (done.some((step) => step.do === 'start' && step.server === 'kube-apiserver')) await converge();
        return done;
      } catch (error) {
        // Killed just before we looked, it was still to be seen. It is gone now, so this comes to an end.
        if (error instanceof Vanished) continue;
        await run.stopOwn();
        throw isFull(error) ? noSpace(folder, error) : error;
      }
    }
  });
}

/** Gives the servers that ran. Nothing is lost: `upPlane` goes on with the same data. */
export function downPlane(place: ClusterPlace, deps: PlaneDeps, call: CallOptions): Promise<Server[]> {
  return withLock(place.home, { name: clusterLock(place.name), why: 'taking the cluster down' }, call, () =>
    stopServers(clusterFiles(place).folder, deps, call),
  );
}

/** With everything that was in it. */
export function deletePlane(place: ClusterPlace, deps: PlaneDeps, call: CallOptions): Promise<Server[]> {
  const { folder } = clusterFiles(place);
  return withLock(place.home, { name: clusterLock(place.name), why: 'deleting the cluster' }, call, async () => {
    const stopped = await stopServers(folder, deps, call);
    // Renamed first: what is half deleted must not look like a cluster.
    const going = join(clustersFolder(place.home), `${deletingPrefix}${place.name}`);
    rmSync(going, { recursive: true, force: true });
    renameIfExists(folder, going);
    rmSync(going, { recursive: true, force: true });
    return stopped;
  });
}

async function ensureSpace(folder: string, { freeBytes }: PlaneDeps): Promise<void> {
  const free = await freeBytes(folder);
  if (free >= NEEDED_BYTES) return;
  const [needed, there] = [NEEDED_BYTES, free].map((bytes) => `${Math.floor(bytes / (1 << 20))} MiB`);
  throw new UserError(`a cluster needs ${needed} under ${folder}; ${there} are free`, {
    code: 'cluster/no-space',
    kept: 'Nothing was started.',
    next: 'free some space, or name a folder on another disk with --home',
    exitCode: 1,
  });
}

function renameIfExists(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
}
