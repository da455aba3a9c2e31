// prototype/after/read-versions.ts: which versions does a pool have in the gallery, and which image does it start from?
import type { Definition, Version } from '../../vms/gallery.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { readLastRun } from '../last-run.ts';
import { isOfOtherPool, prototypeDefinitionName } from '../names.ts';
import type { Site } from '../site.ts';
import { type PoolStatus, poolStatus } from './status.ts';

type GallerySite = Pick<Site, 'provider' | 'gallery'>;

export interface PoolVersions {
  /** undefined: the pool was never captured. */
  definition: Definition | undefined;
  versions: Version[];
}

export async function readVersions(
  { provider, gallery }: GallerySite,
  pool: PoolRef,
  signal: AbortSignal,
): Promise<PoolVersions> {
  const definition = await provider.gallery.readDefinition(gallery, prototypeDefinitionName(pool), { signal });
  const all = definition ? await provider.gallery.listVersions(definition, { signal }) : [];
  return { definition, versions: all.filter(({ tags }) => !isOfOtherPool(tags, pool)) };
}

export async function readPoolStatus(
  site: GallerySite & Pick<Site, 'cluster'>,
  ref: PoolRef,
  signal: AbortSignal,
): Promise<PoolStatus> {
  const [lastRun, pool, instances, { versions }] = await Promise.all([
    readLastRun(site.cluster, ref, signal),
    site.provider.pools.readPool(ref, { signal }),
    site.provider.pools.listInstances(ref, { signal }),
    readVersions(site, ref, signal),
  ]);
  return { ...poolStatus(pool!, instances, versions), ...(lastRun && { lastRun }) };
}
