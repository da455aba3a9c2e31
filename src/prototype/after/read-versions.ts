// prototype/after/read-versions.ts: which versions does a pool have in the gallery, and what does it start from?
import type { Definition, Version } from '../../vms/gallery.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { definitionName } from '../names.ts';
import type { Site } from '../site.ts';
import { type PoolStatus, poolStatus } from './status.ts';

type Gallery = Pick<Site, 'provider' | 'gallery'>;

export interface PoolVersions {
  /** undefined: the pool was never captured. */
  definition: Definition | undefined;
  versions: Version[];
}

export async function readVersions(
  { provider, gallery }: Gallery,
  pool: PoolRef,
  signal: AbortSignal,
): Promise<PoolVersions> {
  const definition = await provider.gallery.readDefinition(gallery, definitionName(pool.name), { signal });
  return { definition, versions: definition ? await provider.gallery.listVersions(definition, { signal }) : [] };
}

export async function readStatus(site: Gallery, ref: PoolRef, signal: AbortSignal): Promise<PoolStatus> {
  const [pool, instances, { versions }] = await Promise.all([
    site.provider.pools.readPool(ref, { signal }),
    site.provider.pools.listInstances(ref, { signal }),
    readVersions(site, ref, signal),
  ]);
  return poolStatus(pool!, instances, versions);
}
