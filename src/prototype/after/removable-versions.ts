// prototype/after/removable-versions.ts: which versions of a pool can be deleted, and what keeps the others?
import type { Version } from '../../vms/gallery.ts';
import type { ImageRef } from '../../vms/pools.ts';
import { isOfOtherPool, PUBLISHER, TAGS } from '../names.ts';
import { isInDefinition } from '../prototype-image.ts';
import type { KeptResource, PoolMachine, UninstallWorld } from './uninstall-world.ts';

export interface SortedVersions {
  deletable: Version[];
  /** A model or an instance still uses them. */
  kept: KeptResource[];
  /** Versions of another pool of the same name; the definition stays with them. */
  others: KeptResource[];
}

/** Splits versions into those to delete and those that stay once the pool starts from `image`. */
export function sortVersions(world: UninstallWorld, image: ImageRef): SortedVersions {
  const { definition, pool } = world;
  if (!definition) return { deletable: [], kept: [], others: [] };
  if (definition.publisher !== PUBLISHER) {
    const because = `headstart did not create it (publisher ${definition.publisher})`;
    return { deletable: [], kept: [{ what: `the image definition ${definition.name}`, because }], others: [] };
  }
  const deletable: Version[] = [];
  const kept: KeptResource[] = [];
  const others = world.versions
    .filter(({ tags }) => isOfOtherPool(tags, pool.ref))
    .map(({ name, tags }) => ({ what: `version ${name}`, because: `it belongs to another pool, ${tags[TAGS.pool]}` }));
  for (const version of ownVersions(world)) {
    const what = `version ${version.name}`;
    const runners = world.machines.filter(({ instance }) => isVersion(instance.image, version));
    if (isVersion(image, version)) kept.push({ what, because: `${pool.ref.name} starts from it, as requested` });
    else if (runners.length > 0) kept.push(inUse(what, runners));
    else if (isUsedElsewhere(version, world)) kept.push({ what, ...ELSEWHERE });
    else if (version.state === 'creating') kept.push({ what, ...BEING_MADE });
    else deletable.push(version);
  }
  if (image.kind === 'definition' && isInDefinition(image, definition)) {
    const because = `${pool.ref.name} starts from its newest version`;
    kept.push({ what: `the image definition ${definition.name}`, because });
  }
  return { deletable, kept, others };
}

export function ownVersions({ versions, pool }: UninstallWorld): Version[] {
  return versions.filter(({ tags }) => !isOfOtherPool(tags, pool.ref));
}

const ELSEWHERE = {
  because: 'the model or an instance of another pool refers to it',
  next: 'point that pool at another image and replace its instances, then run the same command again',
};

/** The cloud refuses to delete a version that is being created, which may take an hour. */
const BEING_MADE = {
  because: 'it is still being created',
  next: 'wait until `headstart prototype status` shows it as ready or failed, then run the same command again',
};

function inUse(what: string, runners: readonly PoolMachine[]): KeptResource {
  const names = runners.map(({ node, instance }) => node?.name ?? instance.computerName);
  return {
    what,
    because: `${joinNames(names)} still ${names.length === 1 ? 'runs' : 'run'} it`,
    next: `drain and delete ${names.length === 1 ? 'that instance' : 'those instances'}, so that the pool creates new ones from its model, then run the same command again`,
  };
}

/** This pool's own model does not count: it changes before the version is deleted. */
function isUsedElsewhere(version: Version, { references, pool }: UninstallWorld): boolean {
  const isReferredTo = references.has(version.id) || references.has(version.id.toLowerCase());
  return isReferredTo && !isVersion(pool.model.image, version);
}

function isVersion(image: ImageRef | undefined, version: Version): boolean {
  return image?.kind === 'version' && image.id.toLowerCase() === version.id.toLowerCase();
}

export function joinNames(names: readonly string[]): string {
  return names.join(', ');
}
