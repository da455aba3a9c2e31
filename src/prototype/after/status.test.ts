import { describe, expect, it } from 'vitest';
import { BAD_TAG, DONOR_TAG } from '../names.ts';
import { lab } from '../testing.ts';
import { describeImage, poolStatus } from './status.ts';

describe('poolStatus', () => {
  it('shows which image each instance runs after a run', async () => {
    const world = lab();
    await world.run();
    const pool = world.provider.state.pools.get(world.ref.pool.id)!;
    world.provider.scaleOut(pool.ref);
    const definition = [...world.provider.state.definitions.values()][0]!;
    const status = poolStatus(pool, pool.instances, await world.provider.gallery.listVersions(definition));
    expect(status.model).toBe(`version ${world.intent.version}`);
    expect(status.versions).toMatchObject([{ isModel: true, instances: 1, donor: world.donor.computerName }]);
    expect(status.versions[0]).not.toHaveProperty('bad');
    const [version] = await world.provider.gallery.listVersions(definition);
    const bad = { ...version!, tags: { ...version!.tags, [BAD_TAG]: 'rollback ordered 2026-11-18' } };
    expect(poolStatus(pool, [], [bad]).versions).toMatchObject([{ bad: 'rollback ordered 2026-11-18' }]);
    expect(status.instances.map((i) => i.isStale)).toEqual([true, true, true, false]);
    expect(status.instances.some((i) => i.isDonor)).toBe(false); // it is back in service
    const tagged = pool.instances.map((one, i) => (i === 1 ? { ...one, tags: { [DONOR_TAG]: 'run-1' } } : one));
    expect(poolStatus(pool, tagged, []).instances.map((i) => i.isDonor)).toEqual([false, true, false, false]);
  });

  it("distinguishes another image of the same day from the pool's version", () => {
    const named = new Map([['galleries/sig_local/kamino-p-prototype/2026.11.16', '2026.11.16']]);
    const describe = (id: string) => describeImage({ kind: 'version', id }, named);
    expect(describe('galleries/SIG_local/kamino-p-prototype/2026.11.16')).toBe('version 2026.11.16');
    expect(describe('galleries/headstart/debian-12/2026.11.16')).toBe('version 2026.11.16 of debian-12');
    const azure = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/G/images';
    expect(describe(`${azure}/base/versions/1.2.3`)).toBe('version 1.2.3 of base');
    expect(describe(`${azure}/kamino-p-prototype/versions/1.2.3`)).toBe('version 1.2.3');
    expect(describeImage({ kind: 'definition', id: `${azure}/base` })).toBe('definition base');
  });

  it('describes images of every kind, also an unknown one', () => {
    const marketplace = { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: 'latest' } as const;
    expect(describeImage(marketplace)).toBe('marketplace p:o:s:latest');
    expect(describeImage(undefined)).toBe('unknown');
    expect(describeImage({ kind: 'other', id: 'mine' })).toBe('other mine');
  });
});
