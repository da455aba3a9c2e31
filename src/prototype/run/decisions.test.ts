// The small decisions of a run, one by one: extensions, pruning, patches, candidates, cost, status.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import type { Node } from '../../cluster/cluster.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import type { Version } from '../../vms/gallery.ts';
import type { Extension } from '../../vms/pools.ts';
import { storageCost } from '../after/cost.ts';
import { prunableVersions } from '../after/prune.ts';
import { describeImage, poolStatus } from '../after/status.ts';
import { rankCandidates } from '../donor/candidates.ts';
import { compareReleases, unpatchedReasons } from '../donor/patched.ts';
import { compareVersions, DONOR_TAG, galleryName } from '../names.ts';
import { lab } from '../testing.ts';
import { bootstrapExtensions } from './extensions.ts';

const version = (name: string, more: Partial<Version> = {}): Version => ({
  name,
  id: `/g/d/versions/${name}`,
  state: 'ready',
  percent: 100,
  isExcludedFromLatest: false,
  replicas: 3,
  redundancy: 'zone',
  sizeGb: 30,
  createdMs: 0,
  tags: {},
  ...more,
});
const extension = (name: string, publisher: string, type: string, after: string[] = []): Extension => ({
  name,
  publisher,
  type,
  after,
});
const node = (name: string, more: Partial<Node> = {}) => fakeCluster(fakeClock()).addNode(name, more);

describe('bootstrap extensions', () => {
  it('are told by publisher and type, never by name, and what depends on them goes too', () => {
    const found = bootstrapExtensions([
      extension('monitoring', 'Microsoft.Azure.Extensions', 'CustomScript'),
      extension('vmssCSE', 'Microsoft.Azure.Monitor', 'AzureMonitorLinuxAgent'),
      extension('computeAksLinuxBilling', 'Microsoft.AKS', 'Compute.AKS.Linux.Billing'),
      extension('AKSLinuxBillingClone', 'Contoso', 'After', ['monitoring']),
      extension('health', 'Microsoft.ManagedServices', 'ApplicationHealthLinux', ['monitoring']),
    ]);
    expect(found.map((e) => e.name)).toEqual(['monitoring', 'AKSLinuxBillingClone']);
  });
});

describe('pruning', () => {
  it('never touches what is referred to, and nothing at all before somebody has looked', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.integer({ min: 1, max: 28 }), { maxLength: 12 }),
        fc.array(fc.nat(11)),
        fc.integer({ min: 1, max: 5 }),
        (days, used, history) => {
          const versions = days.map((day) => version(`2026.11.${day}`));
          const references = new Set(used.flatMap((i) => (versions[i] ? [versions[i].id] : [])));
          const pruned = prunableVersions({ versions, references }, history);
          for (const gone of pruned) expect(references.has(gone.id)).toBe(false);
          expect(versions.length - pruned.length).toBeGreaterThanOrEqual(Math.min(history, versions.length));
          expect(prunableVersions({ versions, references: undefined }, history)).toEqual([]);
        },
      ),
    );
  });

  it('compares versions as integers', () => {
    expect(['2026.10.9', '2026.2.10', '2026.10.10'].sort(compareVersions)).toEqual([
      '2026.2.10',
      '2026.10.9',
      '2026.10.10',
    ]);
  });
});

describe('patches', () => {
  it('a pending reboot, an older kernel or an older image than the pool has each count', () => {
    const old = node('a', {
      kernelVersion: '6.1.0-9-amd64',
      osImage: 'Ubuntu 22.04.3 LTS',
      annotations: { 'weave.works/kured-reboot-in-progress': '2026-11-15T02:00:00Z' },
    });
    const fresh = node('b', { kernelVersion: '6.1.0-54-amd64', osImage: 'Ubuntu 22.04.5 LTS' });
    expect(unpatchedReasons(old, [old, fresh])).toHaveLength(3);
    expect(unpatchedReasons(fresh, [old, fresh])).toEqual([]);
    expect(compareReleases('6.1.0-9', '6.1.0-54')).toBeLessThan(0);
  });

  it('a reboot that was needed before the node last came up is history', () => {
    const annotations = { 'kured.dev/most-recent-reboot-needed': '2026-11-14T00:00:00Z' };
    const up = node('a', { annotations, readySinceMs: Date.parse('2026-11-14T01:00:00Z') });
    expect(unpatchedReasons(up, [up])).toEqual([]);
    const due = { ...up, readySinceMs: Date.parse('2026-11-13T01:00:00Z') };
    expect(unpatchedReasons(due, [due])).toHaveLength(1);
  });
});

describe('candidates', () => {
  it('rank by what speaks against them, then by how long they have been Ready, with the reason for each place', () => {
    const { factory, donor } = lab();
    const instance = factory.state.pools.get(donor.ref.pool.id)!.instances[0]!;
    const nowMs = 100 * 3_600_000;
    const member = (name: string, more: Partial<Node>) => ({ node: node(name, more), instance });
    const ranked = rankCandidates(
      [
        member('young', { readySinceMs: nowMs - 60_000 }),
        member('cordoned', { readySinceMs: 0, isUnschedulable: true, troubles: ['DiskPressure'] }),
        member('best', { readySinceMs: 0 }),
        member('good', { readySinceMs: 10 * 3_600_000 }),
      ],
      nowMs,
    );
    expect(ranked.map((c) => c.node)).toEqual(['best', 'good', 'young', 'cordoned']);
    expect(ranked[2]!.against).toEqual(['it has been Ready for less than 1h']);
    expect(ranked[3]!.against).toEqual(['it is cordoned', 'it reports DiskPressure']);
  });
});

describe('cost and status', () => {
  it('counts versions × size × replicas', () => {
    const prices = { asOf: '', currency: 'USD', perGbMonth: { zone: 0.1, local: 0.05 } };
    const { perMonth } = storageCost(
      [version('1.1.1'), version('1.1.2', { redundancy: 'local', replicas: 1 })],
      prices,
    );
    expect(perMonth).toBeCloseTo(30 * 3 * 0.1 + 30 * 0.05);
  });

  it('tells which instances run what after a run', async () => {
    const world = lab();
    await world.run();
    const pool = world.factory.state.pools.get(world.ref.pool.id)!;
    world.factory.scaleOut(pool.ref);
    const definition = [...world.factory.state.definitions.values()][0]!;
    const status = poolStatus(pool, pool.instances, await world.factory.gallery.listVersions(definition));
    expect(status.model).toBe(`version ${world.intent.version}`);
    expect(status.versions).toMatchObject([{ isModel: true, instances: 1, donor: world.donor.computerName }]);
    expect(status.instances.map((i) => i.isStale)).toEqual([true, true, true, false]);
    expect(status.instances.some((i) => i.isDonor)).toBe(false); // it is back in service
    const tagged = pool.instances.map((one, i) => (i === 1 ? { ...one, tags: { [DONOR_TAG]: 'run-1' } } : one));
    expect(poolStatus(pool, tagged, []).instances.map((i) => i.isDonor)).toEqual([false, true, false, false]);
  });

  it('tells an image that happens to be named by the same day from a version of the pool', () => {
    const named = new Map([['galleries/sig_local/kamino-p-prototype/2026.11.16', '2026.11.16']]);
    const describe = (id: string) => describeImage({ kind: 'version', id }, named);
    expect(describe('galleries/SIG_local/kamino-p-prototype/2026.11.16')).toBe('version 2026.11.16');
    expect(describe('galleries/headstart/debian-12/2026.11.16')).toBe('version 2026.11.16 of debian-12');
    const azure = '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/galleries/G/images';
    expect(describe(`${azure}/base/versions/1.2.3`)).toBe('version 1.2.3 of base');
    expect(describe(`${azure}/kamino-p-prototype/versions/1.2.3`)).toBe('version 1.2.3');
    expect(describeImage({ kind: 'definition', id: `${azure}/base` })).toBe('definition base');
  });

  it('makes gallery names without dashes, and refuses names that cannot be one', () => {
    expect(galleryName('my-cluster')).toBe('SIG_my_cluster');
    expect(() => galleryName('no spaces')).toThrow(/does not make a gallery name/);
  });
});
