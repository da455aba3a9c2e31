// e2e/programs/ensure-kube.ts: the real Kubernetes programs that e2e runs against: built or fetched once, then taken from a cache outside the tree.
import { join } from 'node:path';
import { runCommand } from '../../src/base/command.ts';
import { exitCodeOf, renderError } from '../../src/base/errors.ts';
import type { KubeProgram } from '../../src/cluster/local/programs/build-program.ts';
import {
  BUILT_VERSION,
  ensurePrograms,
  missingPrograms,
  PLANE_PROGRAMS,
  type ProgramDeps,
  programsFolder,
} from '../../src/cluster/local/programs/programs.ts';
import { statfsFree } from '../../src/host/disk-space.ts';
import type { PlaneBinaries } from '../labs/plane.ts';
import { ensureStampedKubelet } from '../labs/stamped-kubelet.ts';
import { cacheFolder, ensureHelm, type HelmTools } from './ensure-helm.ts';

export interface KubeTools extends PlaneBinaries, HelmTools {}

const TEST_PROGRAMS: readonly KubeProgram[] = ['etcd', 'kube-apiserver', 'kube-controller-manager'];

type Tell = (line: string) => void;

/** Whether everything is in the cache; builds and downloads nothing. */
export function isKubeAtHand(): boolean {
  return missingPrograms(programsFolder(cacheFolder(), BUILT_VERSION), TEST_PROGRAMS).length === 0;
}

export async function ensureKube(tell: Tell = console.error): Promise<KubeTools> {
  const folder = await ensurePrograms(TEST_PROGRAMS, BUILT_VERSION, deps(), { onWaiting: news(tell) });
  return {
    etcd: join(folder, 'etcd'),
    apiServer: join(folder, 'kube-apiserver'),
    controllerManager: join(folder, 'kube-controller-manager'),
    ...(await ensureHelm()),
  };
}

/** The folder with all programs that `headstart cluster up` runs. */
export function ensurePlanePrograms(tell: Tell = console.error): Promise<string> {
  return ensurePrograms(PLANE_PROGRAMS, BUILT_VERSION, deps(), { onWaiting: news(tell) });
}

/** Another version is the same program under another name. */
export async function ensureKubelet(version = BUILT_VERSION, tell: Tell = console.error): Promise<string> {
  const call = { onWaiting: news(tell) };
  if (version !== BUILT_VERSION) return ensureStampedKubelet(version, deps(), call);
  return join(await ensurePrograms(['kubelet'], version, deps(), call), 'kubelet');
}

function deps(): ProgramDeps {
  return { cache: cacheFolder(), env: process.env, run: runCommand, freeBytes: statfsFree };
}

function news(tell: Tell): (what: string) => void {
  let last = '';
  return (what) => {
    if (what !== last) tell(`waiting for ${what}`);
    last = what;
  };
}

if (import.meta.main) {
  try {
    const programs = await ensurePlanePrograms();
    console.log(JSON.stringify({ ...(await ensureKube()), programs, kubelet: await ensureKubelet() }, null, 2));
  } catch (error) {
    console.error(renderError(error));
    process.exitCode = exitCodeOf(error);
  }
}
