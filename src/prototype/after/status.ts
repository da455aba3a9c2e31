// prototype/after/status.ts: what is in the gallery, what does the pool start from, and which instances run which image?

import type { Version } from '../../vms/gallery.ts';
import type { ImageRef, ListedInstance, Pool } from '../../vms/pools.ts';
import { badReason } from '../bad-version.ts';
import type { LastRun } from '../last-run.ts';
import { compareVersionNames, DONOR_TAG, isPrototypeDefinition, TAGS } from '../names.ts';

export interface PoolStatus {
  pool: string;
  /** `version 2026.11.15`, `definition …` (floats), `marketplace …` */
  model: string;
  hasBootstrap: boolean | 'unknown';
  versions: {
    name: string;
    state: Version['state'];
    percent: number;
    donor: string | undefined;
    isModel: boolean;
    instances: number;
    isExcluded: boolean;
    /** Why no run and no rollback uses it. */
    bad?: string;
  }[];
  instances: { name: string; image: string; power: ListedInstance['power']; isStale: boolean; isDonor: boolean }[];
  /** Absent: no run of this pool has ended, or this login may not read how. */
  lastRun?: LastRun;
}

export function poolStatus(pool: Pool, instances: readonly ListedInstance[], versions: readonly Version[]): PoolStatus {
  const named = new Map(versions.map((version) => [version.id.toLowerCase(), version.name]));
  const describe = (image: ImageRef | undefined): string => describeImage(image, named);
  const model = describe(pool.model.image);
  return {
    pool: pool.ref.name,
    model,
    hasBootstrap: pool.model.bootstrap === 'none' ? false : 'unknown',
    versions: versions
      .toSorted((a, b) => compareVersionNames(b.name, a.name))
      .map((version) => ({
        ...badOf(version),
        name: version.name,
        state: version.state,
        percent: version.percent,
        donor: version.tags[TAGS.donor],
        isModel: model === `version ${version.name}`,
        instances: instances.filter((instance) => describe(instance.image) === `version ${version.name}`).length,
        isExcluded: version.isExcludedFromLatest,
      })),
    instances: instances.map((instance) => ({
      name: instance.computerName,
      image: describe(instance.image),
      power: instance.power,
      // Differs from the image of new instances; whether that matters is the operator's decision.
      isStale: describe(instance.image) !== model,
      // A run in progress, or one that died, has taken it out of service.
      isDonor: instance.tags[DONOR_TAG] !== undefined,
    })),
  };
}

function badOf(version: Version): { bad?: string } {
  const bad = badReason(version);
  return bad === undefined ? {} : { bad };
}

export function describeImage(image: ImageRef | undefined, versions: ReadonlyMap<string, string> = new Map()): string {
  if (!image) return 'unknown';
  if (image.kind === 'marketplace')
    return `marketplace ${image.publisher}:${image.offer}:${image.sku}:${image.version}`;
  const known = versions.get(image.id.toLowerCase());
  if (known !== undefined) return `version ${known}`;
  const [definition, name] = image.id
    .split('/')
    .filter((part) => part !== 'versions')
    .slice(-2);
  // Versions are named by the day: one of another image may well have the name of a prototype's.
  const isOther = image.kind === 'version' && definition !== undefined && !isPrototypeDefinition(definition);
  return `${image.kind} ${name ?? image.id}${isOther ? ` of ${definition}` : ''}`;
}
