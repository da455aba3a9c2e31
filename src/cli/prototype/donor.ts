// cli/prototype/donor.ts: is the donor good enough, and is there a way back? Both settled before anything is touched.
import { readFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { Node } from '../../cluster/cluster.ts';
import {
  chooseWayBack,
  type DonorVerdict,
  donorRefusals,
  joinWarning,
  judgeDonor,
} from '../../prototype/donor/donor-verdict.ts';
import { inspectDonor } from '../../prototype/donor/inspect/inspect-donor.ts';
import type { Inspection } from '../../prototype/donor/inspect/inspection.ts';
import { findJoining } from '../../prototype/donor/join-token.ts';
import { MODEL_TAG, recipeName } from '../../prototype/names.ts';
import { readPrior } from '../../prototype/run/prior.ts';
import { isSameMachine } from '../../prototype/run/same-machine.ts';
import type { InstanceRef } from '../../vms/pools.ts';
import { printable } from '../output/table.ts';
import type { Edges } from '../verb.ts';
import { type Connected, poolMembers } from './connect.ts';
import type { RunOptions } from './run-options.ts';

export interface SettledDonor {
  /** base64; absent when a recipe is saved already, none is needed, or the operator gives up the way back. */
  customData?: string;
}

export interface AskedDonor {
  node: Node;
  ref: InstanceRef;
  options: RunOptions;
}

export async function settleDonor(world: Connected, asked: AskedDonor, edges: Edges): Promise<SettledDonor> {
  const { node, options } = asked;
  if (reasonNotToInspect(node)) return {}; // a donor to bring home, or to refuse, comes before every other question
  const { verdict, found } = await lookAtDonor(world, asked, edges);
  const [first, ...others] = donorRefusals(verdict, allowances(options));
  if (first) {
    throw new UserError([first, ...others].map(({ reason }) => reason).join('; '), {
      code: first.code,
      next: first.next,
      kept: 'Nothing was changed.',
      exitCode: 1,
    });
  }
  const warning = verdict.joining && joinWarning(verdict.joining, edges.nowUs() / 1000);
  if (warning !== undefined) edges.stderr(`note: ${printable(warning)}\n`);
  if (options.customData !== undefined) return { customData: readCustomData(options.customData) };
  if (verdict.wayBack.kind === 'never any') return { customData: '' };
  return verdict.wayBack.kind === 'found' && found ? { customData: found.reveal() } : {};
}

export function allowances({ allowUnpatched, withoutWayBack }: RunOptions) {
  return { mayBeUnpatched: allowUnpatched === true, mayLoseWayBack: withoutWayBack === true };
}

/** undefined: it can be looked at from inside. */
export function reasonNotToInspect(node: Node): string | undefined {
  if (readPrior(node)) return 'a run has it out of service';
  return node.isReady ? undefined : 'it is not Ready';
}

/** Read-only: through a short-lived privileged pod, or directly where there is no cluster. */
export async function lookAtDonor(
  world: Connected,
  { node, ref, options }: AskedDonor,
  edges: Edges,
): Promise<{ verdict: DonorVerdict; found?: Secret }> {
  const signal = edges.signal();
  const { cluster, factory } = world;
  const { members } = await poolMembers(world, ref.pool.name, signal);
  const [pool, recipe, current] = await Promise.all([
    factory.pools.readPool(ref.pool, { signal }),
    cluster.readSecret(recipeName(ref.pool.name), signal),
    factory.publisher.readModel(ref.pool, { signal }),
  ]);
  edges.stderr(`looking at ${node.name} from inside ...\n`);
  const inspection = await inspectDonor(cluster, node.name, signal, world.channel);
  requireSameMachine(inspection, node);
  const context = {
    nodeName: node.name,
    nowMs: edges.nowUs() / 1000,
    ...(world.givesCredentials && { givesCredentials: true }),
  };
  const verdict = judgeDonor({
    inspection,
    node,
    pool: ref.pool.name,
    poolNodes: members.map((member) => member.node),
    ...(world.hasCluster && { joining: await findJoining(cluster, inspection, context, signal) }),
    wayBack: chooseWayBack({
      isGiven: options.customData !== undefined,
      hasRecipe: recipe !== undefined,
      isSpecialized: pool?.model.osState === 'specialized',
      isKept: current.customData !== undefined,
      // A run of ours takes it away, and says so.
      neverHadAny: pool?.model.bootstrap === 'none' && pool.tags[MODEL_TAG] === undefined,
      inspection,
    }),
  });
  return { verdict, ...(inspection.customData && { found: inspection.customData.base64 }) };
}

/** A channel that somebody named may lead to another machine; its seal would then be refused, but only after the drain. */
function requireSameMachine({ vmId }: Inspection, { name, systemUuid }: Node): void {
  if (systemUuid === '' || isSameMachine(vmId, systemUuid)) return;
  throw new UserError(`the machine that answered has the VM id ${vmId || '(none)'}, and ${name} has ${systemUuid}`, {
    code: 'prototype/other-machine',
    kept: 'Nothing was changed.',
    next: 'name the host of this very instance',
    exitCode: 1,
  });
}

export function readCustomData(path: string): string {
  try {
    return readFileSync(path).toString('base64');
  } catch (error) {
    throw new UserError(`cannot read ${path}: ${(error as NodeJS.ErrnoException).code}`, {
      code: 'prototype/custom-data',
      next: 'give an existing file with --custom-data',
      cause: error,
    });
  }
}
