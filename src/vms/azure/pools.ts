// vms/azure/pools.ts: what does a pool look like now? Read as raw JSON: the typed client drops what it does not know.

import { NotFound } from '../../base/failures.ts';
import type { Instance, Pool, PoolRef } from '../factory.ts';
import { parseDiskId, parseScaleSetId, type ScaleSetRef, scaleSetId } from './arm-ids.ts';
import { apiVersions } from './connect/api-versions.ts';
import type { Call } from './connect/connection.ts';
import { failureOf } from './connect/translate-errors.ts';
import { type HardwareFacts, poolOf, type ScaleSet, scaleSetSchema, securityTypeOf } from './scale-set.ts';

/** What does not change as long as the pool is built from the same image: asked once, not at every look. */
export type KnownHardware = Map<string, HardwareFacts>;

export async function readPool(
  call: Call,
  pool: PoolRef,
  known: KnownHardware,
  listInstances: (set: ScaleSet) => Promise<Instance[]>,
): Promise<Pool | undefined> {
  const set = await readScaleSet(call, poolScaleSet(pool));
  if (!set) return undefined;
  const image = JSON.stringify(set.properties.virtualMachineProfile?.storageProfile?.imageReference ?? null);
  const key = [pool.id.toLowerCase(), image, securityTypeOf(set)].join(' ');
  const hardware = known.get(key) ?? (await hardwareOf(call, set, listInstances));
  if (!hardware) return poolOf(set, refOf(set), guessedHardware(set));
  known.set(key, hardware);
  return poolOf(set, refOf(set), hardware);
}

/** With its extensions as they came: their settings go back the way they were. */
export async function readScaleSet(call: Call, ref: ScaleSetRef): Promise<ScaleSet | undefined> {
  const what = `scale set ${ref.name}`;
  const answer = await call.send({ method: 'GET', url: `${scaleSetId(ref)}?api-version=${apiVersions.compute}` }, what);
  if (answer.status === 404) {
    const failure = failureOf(answer, what, call.clock.nowMs());
    if (failure instanceof NotFound) return undefined;
    throw failure;
  }
  if (answer.status >= 400) throw failureOf(answer, what, call.clock.nowMs());
  return scaleSetSchema.parse(answer.body);
}

export function poolScaleSet(pool: PoolRef): ScaleSetRef {
  const ref = parseScaleSetId(pool.id);
  if (!ref) throw new NotFound(`pool ${pool.id}`);
  return ref;
}

export function refOf(set: ScaleSet): PoolRef {
  const ref = parseScaleSetId(set.id);
  return { id: ref ? scaleSetId({ ...ref, name: set.name }) : set.id, name: set.name };
}

/** An instance's disk says both, where it says anything: old disks name no architecture. */
async function hardwareOf(
  call: Call,
  set: ScaleSet,
  listInstances: (set: ScaleSet) => Promise<Instance[]>,
): Promise<HardwareFacts | undefined> {
  const diskId = (await listInstances(set)).find((instance) => instance.osDisk)?.osDisk?.id;
  const disk = diskId ? parseDiskId(diskId) : undefined;
  if (!disk) return undefined;
  const found = await call.ask(`disk ${disk.name}`, () =>
    call.compute(disk.subscriptionId).disks.get(disk.resourceGroup, disk.name),
  );
  const guessed = guessedHardware(set);
  return {
    generation: found.hyperVGeneration === 'V2' ? 'V2' : guessed.generation,
    architecture: found.supportedCapabilities?.architecture === 'Arm64' ? 'Arm64' : guessed.architecture,
  };
}

/** A pool without a disk to look at has no donor either. Secure boot and Arm exist on the second generation only. */
export function guessedHardware(set: ScaleSet): HardwareFacts {
  // Sizes name their features in small letters between the number and the generation; `p` is an Arm processor.
  const isArm = /^Standard_[A-Z]+[\d-]+[a-z]*p[a-z]*(?:_|$)/.test(set.sku?.name ?? '');
  const isSecond = isArm || securityTypeOf(set) !== 'Standard';
  return { generation: isSecond ? 'V2' : 'V1', architecture: isArm ? 'Arm64' : 'x64' };
}
