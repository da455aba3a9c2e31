// prototype/donor/assess-donor.ts: what is the donor like from inside, and what follows from it? Read-only.
import type { Clock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { Node } from '../../cluster/cluster.ts';
import { MODEL_TAG, savedModelName } from '../names.ts';
import { readPrior } from '../run/prior.ts';
import { isSameMachine } from '../run/same-machine.ts';
import type { Site } from '../site.ts';
import { chooseBootstrapSource, type DonorVerdict, judgeDonor } from './donor-verdict.ts';
import { inspectDonor } from './inspect/inspect-donor.ts';
import type { Inspection } from './inspect/inspection.ts';
import { findCloneJoin } from './join-token.ts';
import type { LocatedNode } from './locate-nodes.ts';
import { type PoolMember, readMembers } from './members.ts';

export interface DonorToInspect extends LocatedNode {
  /** All of its pool; read where they are absent. */
  members?: readonly PoolMember[];
  /** The operator gives the pool's original bootstrap. */
  hasGivenBootstrap: boolean;
}

export interface InspectDeps {
  clock: Pick<Clock, 'nowMs'>;
  signal: AbortSignal;
  /** Called before a script runs on the node. */
  onInspect(nodeName: string): void;
}

/** undefined: it can be looked at from inside. */
export function reasonNotToInspect(node: Node): string | undefined {
  if (readPrior(node)) return 'a run has it out of service';
  return node.isReady ? undefined : 'it is not Ready';
}

/** Through a short-lived privileged pod, or directly where there is no cluster. */
export async function assessDonor(
  site: Site,
  { node, ref, members, hasGivenBootstrap }: DonorToInspect,
  { clock, signal, onInspect }: InspectDeps,
): Promise<{ verdict: DonorVerdict; bootstrap?: Secret }> {
  const { cluster, factory } = site;
  const all = members ?? (await readMembers(site, ref.pool, signal));
  const [pool, recipe, current] = await Promise.all([
    factory.pools.readPool(ref.pool, { signal }),
    cluster.readSecret(savedModelName(ref.pool.name), signal),
    factory.publisher.readModel(ref.pool, { signal }),
  ]);
  onInspect(node.name);
  const inspection = await inspectDonor(cluster, node.name, signal, site.channel);
  requireSameMachine(inspection, node);
  const context = {
    nodeName: node.name,
    nowMs: clock.nowMs(),
    ...(site.givesCredentials && { givesCredentials: true }),
  };
  const verdict = judgeDonor({
    inspection,
    node,
    pool: ref.pool.name,
    poolNodes: all.map((member) => member.node),
    ...(site.hasCluster && { joining: await findCloneJoin(cluster, inspection, context, signal) }),
    wayBack: chooseBootstrapSource({
      isGiven: hasGivenBootstrap,
      hasSavedModel: recipe !== undefined,
      isSpecialized: pool?.model.osState === 'specialized',
      isKept: current.customData !== undefined,
      // A run of ours takes it away, and says so.
      neverHadAny: pool?.model.bootstrap === 'none' && pool.tags[MODEL_TAG] === undefined,
      inspection,
    }),
  });
  return { verdict, ...(inspection.customData && { bootstrap: inspection.customData.base64 }) };
}

/** A host that the operator named may be another machine; its seal would then be refused, but only after the drain. */
function requireSameMachine({ vmId }: Inspection, { name, systemUuid }: Node): void {
  if (systemUuid === '' || isSameMachine(vmId, systemUuid)) return;
  throw new UserError(`the machine that answered has the VM id ${vmId || '(none)'}, and ${name} has ${systemUuid}`, {
    code: 'prototype/other-machine',
    kept: 'Nothing was changed.',
    next: 'name the host of this very instance',
    exitCode: 1,
  });
}
