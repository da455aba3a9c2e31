// vms/lab.testing.ts: what the four contract suites need from an implementation, and their shared helpers.
import type { Clock } from '../base/clock.ts';
import type { Definition, DefinitionSpec, Version, VersionSpec } from './gallery.ts';
import type { ImageRef, Instance, PoolRef } from './pools.ts';
import type { VmProvider } from './provider.ts';
import type { ModelChange } from './publisher.ts';
import type { SnapshotSpec } from './snapshots.ts';

/** What a new instance was made from. Providers do not report it, so the lab reads it from their internal state. */
export interface InstanceOrigin {
  image: ImageRef;
  /** Decoded; absent when there was none. */
  customData?: string;
  extensions: string[];
}

export interface Lab {
  provider: VmProvider;
  clock: Clock;
  /** Running instances of a generalized Linux image, with custom data and the extensions `bootstrap` and `health`. */
  makePool(count: 1 | 2 | 3): Promise<{ ref: PoolRef; providerIds: string[] }>;
  /** Makes the provider add one instance from the current model. */
  grow(pool: PoolRef): Promise<InstanceOrigin>;
  end(): Promise<void>;
}

export const oneTag = { kept: 'yes' };

export async function oneInstance(lab: Lab): Promise<{ pool: PoolRef; instance: Instance }> {
  const { ref, providerIds } = await lab.makePool(1);
  const { pools } = lab.provider;
  return { pool: ref, instance: (await pools.readInstance(await pools.locate(providerIds[0]!)))! };
}

export async function again({ provider }: Lab, { ref }: Instance): Promise<Instance> {
  return (await provider.pools.readInstance(ref))!;
}

export async function regionOf({ provider }: Lab, pool: PoolRef): Promise<string> {
  return (await provider.pools.readPool(pool))!.region;
}

export async function definitionFor({ provider }: Lab, ref: PoolRef): Promise<DefinitionSpec> {
  const { model } = (await provider.pools.readPool(ref))!;
  const { osState, generation, architecture, securityType, plan } = model;
  if (generation === 'unknown') throw new Error(`the generation of ${ref.name} is unknown`);
  const identity = { publisher: 'headstart', offer: 'contract', sku: ref.name };
  const traits = { osState, generation, architecture, securityType, ...(plan && { plan }) };
  return { gallery: 'SIG_contract', name: `kamino-${ref.name}-prototype`, ...traits, ...identity };
}

/** A definition, and a snapshot that a version can be made from. */
export async function withSnapshot(lab: Lab) {
  const { provider } = lab;
  const { pool, instance } = await oneInstance(lab);
  const region = await regionOf(lab, pool);
  const definition = await provider.gallery.ensureDefinition(await definitionFor(lab, pool), region);
  await provider.pools.stop(instance.ref);
  await provider.snapshots.createSnapshot(snapshotOf(instance, region));
  await provider.pools.start(instance.ref);
  return { pool, definition, region, snapshotId: (await provider.snapshots.readSnapshot('snap'))!.id };
}

export async function withVersion(lab: Lab) {
  const { pool, definition, region, snapshotId } = await withSnapshot(lab);
  await lab.provider.gallery.beginVersion(versionSpec(definition, region, snapshotId, '2026.11.15'));
  return { pool, definition, made: await untilReady(lab, definition, '2026.11.15') };
}

export async function untilReady({ provider, clock }: Lab, definition: Definition, version: string): Promise<Version> {
  for (let looks = 0; looks < 1000; looks++) {
    const found = await provider.gallery.readVersion(definition, version);
    if (found?.state === 'ready') return found;
    if (!found || found.state === 'failed')
      throw new Error(`version ${version}: ${found?.failure ?? 'does not exist'}`);
    await clock.sleep(60_000);
  }
  throw new Error(`version ${version} never became ready`);
}

export function snapshotOf(instance: Instance, region: string): SnapshotSpec {
  return { name: 'snap', sourceDiskId: instance.osDisk!.id, region, tags: { donor: instance.vmId } };
}

export function versionSpec(definition: Definition, region: string, snapshotId: string, name: string): VersionSpec {
  const terms = { replicas: 3, redundancy: 'zone', isExcludedFromLatest: true } as const;
  return { definition, name, snapshotId, region, ...terms, tags: { donor: 'someone' } };
}

export function switchTo(version: Version): ModelChange {
  return {
    image: { kind: 'version', id: version.id },
    bootstrap: 'none',
    extensions: { keep: ['health'], add: [] },
    tags: oneTag,
  };
}

/** An id in the same place that does not exist: ids end in a name or number. */
export function goneId(id: string): string {
  return `${id}9999`;
}

export function goneVersion(id: string): string {
  return id.replace(/[^./]+$/, '99');
}
