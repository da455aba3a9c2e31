// cli/prototype/donor.ts: is the donor good enough, and is there a way back? Both settled before anything is touched.
import { readFileSync } from 'node:fs';
import { UserError } from '../../base/errors.ts';
import type { Node } from '../../cluster/cluster.ts';
import { cloneObstacles, inspectDonor } from '../../prototype/inspect/inspect-donor.ts';
import type { Inspection } from '../../prototype/inspect/inspection.ts';
import { recipeName } from '../../prototype/names.ts';
import { unpatchedReasons } from '../../prototype/patched.ts';
import { readPrior } from '../../prototype/prior.ts';
import type { InstanceRef } from '../../vms/factory.ts';
import type { Edges } from '../verb.ts';
import { type Connected, poolMembers } from './connect.ts';
import type { RunOptions } from './run-options.ts';

export interface SettledDonor {
  /** base64; absent when a recipe is saved already, or the operator gives up the way back. */
  customData?: string;
}

export async function settleDonor(
  world: Connected,
  { node, ref, options }: { node: Node; ref: InstanceRef; options: RunOptions },
  edges: Edges,
): Promise<SettledDonor> {
  const signal = edges.signal();
  if (readPrior(node) || !node.isReady) return {}; // a donor to bring home, or to refuse, comes before every other question
  const { members } = await poolMembers(world, ref.pool.name, signal);
  const inspection = await inspectDonor(world.cluster, node.name, signal);
  const unpatched = [
    ...unpatchedReasons(
      node,
      members.map((member) => member.node),
    ),
    ...(inspection.rebootRequired ? [`a reboot is pending (${inspection.rebootRequired.file})`] : []),
  ];
  if (unpatched.length > 0 && !options.allowUnpatched) {
    throw refused(`${node.name} is not patched: ${unpatched.join('; ')}`, {
      code: 'prototype/unpatched',
      next: `headstart prototype candidates --pool ${ref.pool.name}, or give --allow-unpatched`,
    });
  }
  const obstacles = cloneObstacles(inspection, node.name, edges.nowUs() / 1000);
  if (obstacles.length > 0) {
    throw refused(`${node.name} cannot be cloned: ${obstacles.join('; ')}`, {
      code: 'prototype/not-clonable',
      next: 'mend what is named above on the node, then run the same command again',
    });
  }
  return wayBack(world, ref, options, inspection, signal);
}

async function wayBack(
  world: Connected,
  ref: InstanceRef,
  options: RunOptions,
  inspection: Inspection,
  signal: AbortSignal,
): Promise<SettledDonor> {
  if (options.customData !== undefined) return { customData: readCustomData(options.customData) };
  const hasRecipe = (await world.cluster.readSecret(recipeName(ref.pool.name), signal)) !== undefined;
  if (hasRecipe) return {};
  if (inspection.customData) return { customData: inspection.customData.base64.reveal() };
  if (options.withoutWayBack) return {};
  throw refused(
    `the original bootstrap of ${ref.pool.name} is not known: the cloud never gives custom data back, and the donor has none`,
    {
      code: 'prototype/no-way-back',
      next: 'give it with --custom-data FILE, or --without-way-back if there is to be none',
    },
  );
}

function refused(reason: string, { code, next }: { code: string; next: string }): UserError {
  return new UserError(reason, { code, next, kept: 'Nothing was changed.', exitCode: 1 });
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
