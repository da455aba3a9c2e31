// prototype/after/uninstall.ts: what did headstart leave on a pool, in which order is it removed, and what has to stay? Pure.
import { UserError } from '../../base/errors.ts';
import type { Node } from '../../cluster/cluster.ts';
import type { Definition, Version } from '../../vms/gallery.ts';
import type { ImageRef, InstanceRef, Pool } from '../../vms/pools.ts';
import type { ModelChange, ProtectedSettings } from '../../vms/publisher.ts';
import { BOOTSTRAP_TAG, DONOR_TAG, MODEL_TAG, ROLLBACK_TAG, SEALED_ANNOTATION, TAGS } from '../names.ts';
import { isInDefinition, isPrototypeImage } from '../prototype-image.ts';
import { readPrior } from '../run/prior.ts';
import { joinNames, ownVersions, sortVersions } from './removable-versions.ts';
import { type RollbackTargets, rollbackToOriginal, rollbackToVersion } from './rollback.ts';
import { describeImage } from './status.ts';
import type { KeptResource, UninstallWorld } from './uninstall-world.ts';

export interface UninstallOptions {
  /** What new instances start from afterwards. */
  to: 'original' | 'keep' | { version: string };
  /** base64, where the saved model has none. */
  customData?: string;
  /** Protected settings of extensions, where the saved model has none. */
  protectedSettings?: ProtectedSettings;
  isUnsealing: boolean;
  /** Nodes from which the clone check was already removed; finding that out again would take a pod on each node. */
  unsealed: ReadonlySet<string>;
}

export type UninstallStep =
  | { id: 'bring-home'; what: string; donors: { nodeName: string; ref: InstanceRef }[] }
  | { id: 'put-pool-back'; what: string; change: ModelChange }
  | { id: 'untag-pool'; what: string; tags: string[] }
  | { id: 'unmark-nodes'; what: string; nodes: Node[] }
  | { id: 'unseal-nodes'; what: string; nodes: string[] }
  | { id: 'delete-snapshot'; what: string; name: string }
  | { id: 'delete-versions'; what: string; names: string[] }
  | { id: 'delete-definition'; what: string }
  | { id: 'delete-gallery'; what: string; name: string }
  | { id: 'delete-recipe'; what: string }
  | { id: 'delete-lease'; what: string };

export interface UninstallPlan {
  /** In order, assuming that each one succeeds. */
  steps: UninstallStep[];
  kept: KeptResource[];
  /** Nodes that keep the clone check on their disks: donors, and instances made from a version. */
  sealed: string[];
}

export function planUninstall(world: UninstallWorld, options: UninstallOptions): UninstallPlan {
  const change = poolChange(world, options);
  const image = change?.image ?? world.pool.model.image;
  const { deletable, kept, others } = sortVersions(world, image);
  const isEmptied = kept.length === 0;
  const steps = [
    ...restoreSteps(world),
    ...snapshotSteps(world),
    ...(change ? [modelStep(world, change)] : []),
    ...tagSteps(world),
    ...sealSteps(world, options),
    ...versionSteps(deletable),
    ...(isEmptied && others.length === 0 ? gallerySteps(world) : []),
    ...(isEmptied && world.savedModel
      ? [{ id: 'delete-recipe' as const, what: 'delete the saved original model' }]
      : []),
    ...leaseSteps(world),
  ];
  return { steps, kept: [...kept, ...others, ...otherKept(world, isEmptied)], sealed: sealedNodes(world, options) };
}

/** The model changes first: the image of new instances must not be deleted while the model uses it. */
function poolChange(world: UninstallWorld, options: UninstallOptions): ModelChange | undefined {
  const { pool, definition, savedModel } = world;
  const { image } = pool.model;
  if (options.to === 'keep') return undefined;
  if (options.to === 'original') {
    if (!isPrototypeImage(image, definition) && pool.tags[MODEL_TAG] === undefined) return undefined;
    if (!savedModel) throw noSavedModel(pool);
    const given = options.customData === undefined ? {} : { customData: options.customData };
    const protectedSettings = { ...savedModel.protectedSettings, ...options.protectedSettings };
    return rollbackToOriginal(pool, { ...savedModel, ...given, protectedSettings });
  }
  const versions = ownVersions(world);
  const targets: RollbackTargets = { verb: 'uninstall', versions, definition, hasOriginal: savedModel !== undefined };
  const change = rollbackToVersion(pool, targets, options.to.version);
  return isSameImage(image, change.image) ? undefined : change;
}

function modelStep({ pool, versions }: UninstallWorld, change: ModelChange): UninstallStep {
  const named = new Map(versions.map(({ id, name }) => [id.toLowerCase(), name]));
  const [from, to] = [describeImage(pool.model.image, named), describeImage(change.image, named)];
  return { id: 'put-pool-back', what: `point ${pool.ref.name} at ${to} instead of ${from}`, change };
}

/** Donors are restored before anything else. */
function restoreSteps({ machines }: UninstallWorld): UninstallStep[] {
  const out = machines.filter(({ node, instance }) => readPrior(node) || instance.tags[DONOR_TAG] !== undefined);
  if (out.length === 0) return [];
  const donors = out.map(({ node, instance }) => ({
    nodeName: node?.name ?? instance.computerName.toLowerCase(),
    ref: instance.ref,
  }));
  return [{ id: 'bring-home', what: `return ${joinNames(donors.map((d) => d.nodeName))} to service`, donors }];
}

function snapshotSteps({ snapshot }: UninstallWorld): UninstallStep[] {
  return snapshot ? [{ id: 'delete-snapshot', what: `delete the snapshot ${snapshot.name}`, name: snapshot.name }] : [];
}

function tagSteps({ pool, machines }: UninstallWorld): UninstallStep[] {
  const tags = [BOOTSTRAP_TAG, MODEL_TAG, ROLLBACK_TAG].filter((tag) => pool.tags[tag] !== undefined);
  const nodes = machines.flatMap(({ node }) => (node?.annotations[SEALED_ANNOTATION] !== undefined ? [node] : []));
  return [
    ...(tags.length > 0
      ? [{ id: 'untag-pool' as const, what: `remove the tags ${joinNames(tags)} from the pool`, tags }]
      : []),
    ...(nodes.length > 0
      ? [
          {
            id: 'unmark-nodes' as const,
            what: `remove the annotations from ${joinNames(nodes.map(({ name }) => name))}`,
            nodes,
          },
        ]
      : []),
  ];
}

/** On every node that can run a script: donors of deleted versions are recorded nowhere. */
function sealSteps({ machines }: UninstallWorld, { isUnsealing, unsealed }: UninstallOptions): UninstallStep[] {
  if (!isUnsealing) return [];
  const nodes = machines.flatMap(({ node }) =>
    node && canUnseal(node) && !unsealed.has(node.name) ? [node.name] : [],
  );
  return nodes.length > 0
    ? [{ id: 'unseal-nodes', what: `remove the clone check from ${joinNames(nodes)}`, nodes }]
    : [];
}

function canUnseal({ isReady, os }: Node): boolean {
  return isReady && os === 'linux';
}

function versionSteps(deletable: readonly Version[]): UninstallStep[] {
  const names = deletable.map(({ name }) => name);
  return names.length > 0 ? [{ id: 'delete-versions', what: `delete the versions ${joinNames(names)}`, names }] : [];
}

/** The gallery is deleted only if it has no definition of another pool. */
function gallerySteps({ definition, gallery }: UninstallWorld): UninstallStep[] {
  const others = othersIn(gallery, definition);
  return [
    ...(definition
      ? [{ id: 'delete-definition' as const, what: `delete the image definition ${definition.name}` }]
      : []),
    ...(gallery && others.length === 0
      ? [{ id: 'delete-gallery' as const, what: `delete the gallery ${gallery.name}`, name: gallery.name }]
      : []),
  ];
}

function leaseSteps({ lease }: UninstallWorld): UninstallStep[] {
  return lease ? [{ id: 'delete-lease', what: `delete the lease of ${lease.holder || 'no holder'}` }] : [];
}

function otherKept({ gallery, definition, savedModel }: UninstallWorld, isEmptied: boolean): KeptResource[] {
  const others = othersIn(gallery, definition);
  return [
    ...(gallery && others.length > 0
      ? [{ what: `the gallery ${gallery.name}`, because: `it holds ${joinNames(others.map(({ name }) => name))}` }]
      : []),
    ...(!isEmptied && savedModel
      ? [{ what: 'the saved original model', because: 'a rollback needs it as long as a version is kept' }]
      : []),
  ];
}

function sealedNodes(
  { machines, versions, snapshot, definition }: UninstallWorld,
  options: UninstallOptions,
): string[] {
  const donors = new Set([...versions, ...(snapshot ? [snapshot] : [])].map(({ tags }) => tags[TAGS.donor]));
  return machines.flatMap(({ node, instance }) => {
    if (!node || options.unsealed.has(node.name) || (options.isUnsealing && canUnseal(node))) return [];
    return donors.has(node.name) || (instance.image && isInDefinition(instance.image, definition)) ? [node.name] : [];
  });
}

function othersIn(gallery: UninstallWorld['gallery'], definition: Definition | undefined): Definition[] {
  return gallery?.definitions.filter(({ id }) => id.toLowerCase() !== definition?.id.toLowerCase()) ?? [];
}

function isSameImage(a: ImageRef, b: ImageRef): boolean {
  return a.kind === 'version' && b.kind === 'version' && a.id.toLowerCase() === b.id.toLowerCase();
}

function noSavedModel(pool: Pool): UserError {
  return new UserError(`no original model of ${pool.ref.name} is saved, but it starts from a prototype`, {
    code: 'prototype/no-recipe',
    kept: 'Nothing was changed.',
    next: `point ${pool.ref.name} at an image of your choice yourself, then run headstart prototype uninstall --pool ${pool.ref.name} --to keep`,
    exitCode: 1,
  });
}
