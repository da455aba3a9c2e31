// prototype/run/run-on-site.ts: what does a whole run do with the donor that was found? Other donors come home, this one is settled, the steps run.
import type { FoundDonor } from '../donor/find-donor.ts';
import { type DonorTerms, type SettleDeps, settleDonor } from '../donor/settle-donor.ts';
import type { Site } from '../site.ts';
import { type EngineDeps, type RunResult, recoverDonor, runPrototype } from './engine.ts';
import type { Intent } from './scene.ts';
import { sealMachine, sealNode } from './seal.ts';

export interface RunOrder {
  intentFor(nodeName: string): Intent;
  terms: DonorTerms;
  runId: string;
}

export type RunDeps = Pick<EngineDeps, 'clock' | 'signal' | 'homeSignal' | 'tell'> & SettleDeps;

export async function runOnSite(
  site: Site,
  donor: FoundDonor,
  { intentFor, terms, runId }: RunOrder,
  deps: RunDeps,
): Promise<RunResult> {
  const { provider, cluster, hasCluster } = site;
  const { node, ref, because, strays } = donor;
  const { clock, signal, homeSignal, tell } = deps;
  if (because !== undefined) tell({ event: 'donor', node: node.name, because });
  const seal = hasCluster ? sealNode : sealMachine;
  const engine: EngineDeps = {
    ...provider,
    cluster,
    clock,
    signal,
    homeSignal,
    seal: (nodeName, vmId) => seal(cluster, nodeName, vmId, signal),
    tell,
  };
  for (const stray of strays) await recoverDonor(intentFor(stray.node.name), stray.ref, runId, engine);
  const settled = await settleDonor(site, donor, terms, deps);
  return runPrototype(intentFor(node.name), ref, runId, { ...engine, ...settled });
}
