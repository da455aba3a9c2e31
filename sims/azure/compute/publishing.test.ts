import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../service/json.ts';
import { Bench } from '../testing.ts';
import type { SimVersion } from '../world.ts';
import { publishingOf, replicationOf, zoneRefusal } from './publishing.ts';

const publish = (publishingProfile: JsonObject) => publishingOf({ publishingProfile }, 'westeurope', 0);

describe('the publishing profile of a version', () => {
  it('defaults to one replica in its own region, on local storage', () => {
    expect(publishingOf({}, 'westeurope', 0)).toMatchObject({
      targetRegions: [{ name: 'westeurope', regionalReplicaCount: 1, storageAccountType: 'Standard_LRS' }],
      replicaCount: 1,
      excludeFromLatest: false,
    });
  });

  it('gives counts and storage to regions without their own', () => {
    const targetRegions = [{ name: 'West Europe' }, { name: 'northeurope', regionalReplicaCount: 5 }];
    expect(publish({ targetRegions, replicaCount: 3, storageAccountType: 'Standard_ZRS' }).targetRegions).toEqual([
      { name: 'West Europe', regionalReplicaCount: 3, storageAccountType: 'Standard_ZRS' },
      { name: 'northeurope', regionalReplicaCount: 5, storageAccountType: 'Standard_ZRS' },
    ]);
  });

  it('has to contain the region of the version, and from 1 to 100 replicas', () => {
    expect(() => publish({ targetRegions: [{ name: 'northeurope' }] })).toThrow('have to contain the location');
    for (const replicaCount of [0, 101]) expect(() => publish({ replicaCount })).toThrow('replicaCount');
    const targetRegions = [{ name: 'westeurope', regionalReplicaCount: 101 }];
    expect(() => publish({ targetRegions })).toThrow("'regionalReplicaCount' is 101");
  });

  it('is refused on zone-redundant storage only in a region without zones', () => {
    const { world } = new Bench({ zoneRedundantStorage: false });
    expect(zoneRefusal(world, publish({ storageAccountType: 'Standard_ZRS' }))).toMatchObject({
      code: 'InvalidParameter',
    });
    expect(zoneRefusal(world, publish({ storageAccountType: 'Standard_LRS' }))).toBeUndefined();
    expect(zoneRefusal(new Bench().world, publish({ storageAccountType: 'Standard_ZRS' }))).toBeUndefined();
  });
});

describe('the replication of a version', () => {
  const version = (more: Partial<SimVersion>): SimVersion => ({
    id: 'x',
    name: '1.0.0',
    location: 'westeurope',
    tags: {},
    createdMs: 0,
    replicatedMs: 1000,
    sizeGb: 30,
    state: 'Succeeded',
    properties: { publishingProfile: publish({}) },
    ...more,
  });
  const look = (nowMs: number, more: Partial<SimVersion> = {}) => {
    const { aggregatedState, summary } = replicationOf(version(more), nowMs);
    return [aggregatedState, (summary as JsonObject[])[0]?.progress];
  };

  it('follows the clock and is complete only at its end', () => {
    expect([0, 500, 999, 1000].map((nowMs) => look(nowMs))).toEqual([
      ['InProgress', 0],
      ['InProgress', 50],
      ['InProgress', 99],
      ['Completed', 100],
    ]);
  });

  it('is not complete while the version is still being made, nor when it failed', () => {
    expect(look(5000, { state: 'Creating' })).toEqual(['InProgress', 99]);
    expect(look(5000, { state: 'Failed', failure: 'no zones' })).toEqual(['Failed', 99]);
    expect(look(0, { replicatedMs: 0 })).toEqual(['Completed', 100]);
  });
});
