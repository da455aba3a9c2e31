// cluster/local/control-plane.ts: starts, stops and deletes a control plane that keeps running after the command ends. The state is in
// its processes and its folder, so the next command finds and reuses what a killed command left.
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

/** etcd preallocates 64 MiB for its write-ahead log, twice, and crashes on a full disk. */
const NEEDED_BYTES = 256 << 20;

/** Resolves with the applied steps when all servers are healthy. On failure or interrupt it stops the servers it started. */
export function upPlane(place: ClusterPlace, options: UpOptions, deps: PlaneDeps, call: PlaneCall): Promise<UpStep[]> {
  const { folder } = clusterFiles(place);
  return withLock(place.home, { name: clusterLock(place.name), why: 'starting the cluster' }, call, async () => {
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
        // Role bindings could not be read before the API server ran.
        if (done.some((step) => step.do === 'start' && step.server === 'kube-apiserver')) await converge();
        return done;
      } catch (error) {
        // The server was killed just before the observation and was still visible. It is gone now, so the loop ends.
        if (error instanceof Vanished) continue;
        await run.stopOwn();
        throw isFull(error) ? noSpace(folder, error) : error;
      }
    }
  });
}

/** Returns the servers that ran. No data is lost: `upPlane` starts with the same data. */
export function downPlane(place: ClusterPlace, deps: PlaneDeps, call: CallOptions): Promise<Server[]> {
  return withLock(place.home, { name: clusterLock(place.name), why: 'stopping the cluster' }, call, () =>
    stopServers(clusterFiles(place).folder, deps, call),
  );
}

/** Also deletes all data. */
export function deletePlane(place: ClusterPlace, deps: PlaneDeps, call: CallOptions): Promise<Server[]> {
  const { folder } = clusterFiles(place);
  return withLock(place.home, { name: clusterLock(place.name), why: 'deleting the cluster' }, call, async () => {
    const stopped = await stopServers(folder, deps, call);
    // Rename first: a partly deleted folder must not look like a cluster.
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
