// prototype/run/run-on-site.ts: a whole run: restore other donors of the pool, approve this donor, run the steps.

import { type ApproveDeps, approveDonor, type DonorTerms } from '../donor/approve-donor.ts';
import type { FoundDonor } from '../donor/find-donor.ts';
import type { Site } from '../site.ts';
import { type EngineDeps, type RunResult, recoverDonor, runPrototype } from './engine.ts';
import type { Intent } from './scene.ts';
import { sealMachine, sealNode } from './seal.ts';

export interface RunOrder {
  intentFor(nodeName: string): Intent;
  terms: DonorTerms;
  runId: string;
}

export type RunDeps = Pick<EngineDeps, 'clock' | 'signal' | 'restoreSignal' | 'onEvent'> & ApproveDeps;

export async function runOnSite(
  site: Site,
  donor: FoundDonor,
  { intentFor, terms, runId }: RunOrder,
  deps: RunDeps,
): Promise<RunResult> {
  const { provider, cluster, hasCluster } = site;
  const { name, ref, because, strays } = donor;
  const { clock, signal, restoreSignal, onEvent } = deps;
  if (because !== undefined) onEvent({ event: 'donor', node: name, because });
  const seal = hasCluster ? sealNode : sealMachine;
  const engine: EngineDeps = {
    ...provider,
    cluster,
    clock,
    signal,
    restoreSignal,
    seal: (nodeName, vmId) => seal(cluster, nodeName, vmId, signal),
    onEvent,
  };
  for (const stray of strays) await recoverDonor(intentFor(stray.name), stray.ref, runId, engine);
  const settled = await approveDonor(site, donor, terms, deps);
  return runPrototype(intentFor(name), ref, runId, { ...engine, ...settled });
}
