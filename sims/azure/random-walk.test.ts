// After any sequence of requests the simulated world is consistent.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { settle } from './service/effects.ts';
import { type Ask, Bench, DEFINITION, versionBody } from './testing.ts';
import { type Fate, instancesOf, keyOf } from './world.ts';

const LOCATION = 'westeurope';
const IMAGE = 'galleries/SIG_demo/images/proto';
const VERSION = `${IMAGE}/versions/2026.11.15`;
const id = (bench: Bench, path: string) =>
  `/subscriptions/${bench.world.subscriptionId}/resourceGroups/demo/providers/Microsoft.Compute/${path}`;
const patchImage = (imageReference: Ask['body']): Ask => ({
  body: { properties: { virtualMachineProfile: { storageProfile: { imageReference } } } },
});

const moves: ((bench: Bench, pick: number) => [string, string, Ask?])[] = [
  (_, pick) => ['POST', `virtualMachineScaleSets/pool1/virtualMachines/${pick % 4}/powerOff`],
  (_, pick) => ['POST', `virtualMachineScaleSets/pool1/virtualMachines/${pick % 4}/deallocate`],
  (_, pick) => ['POST', `virtualMachineScaleSets/pool1/virtualMachines/${pick % 4}/start`],
  (_, pick) => ['POST', `virtualMachineScaleSets/pool1/virtualMachines/${pick % 4}/reimage`],
  (_, pick) => ['DELETE', `virtualMachineScaleSets/pool1/virtualMachines/${pick % 4}`],
  (_, pick) => ['PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: pick % 5 } } }],
  (bench) => [
    'PATCH',
    'virtualMachineScaleSets/pool1',
    patchImage({ id: id(bench, VERSION), publisher: null, offer: null, sku: null, version: null }),
  ],
  (bench) => [
    'PATCH',
    'virtualMachineScaleSets/pool1',
    patchImage({ id: id(bench, IMAGE), publisher: null, offer: null, sku: null, version: null }),
  ],
  () => ['DELETE', 'virtualMachineScaleSets/pool1/extensions/cse'],
  (bench, pick) => [
    'PUT',
    'snapshots/snap',
    {
      body: {
        location: LOCATION,
        properties: {
          creationData: { createOption: 'Copy', sourceResourceId: bench.instances()[pick % 3]?.osDiskId ?? 'none' },
        },
      },
    },
  ],
  () => ['DELETE', 'snapshots/snap'],
  () => ['PUT', 'galleries/SIG_demo', { body: { location: LOCATION } }],
  () => ['PUT', IMAGE, { body: { location: LOCATION, properties: DEFINITION } }],
  (bench) => ['PUT', VERSION, { body: versionBody(bench) }],
  () => ['DELETE', VERSION],
  () => ['DELETE', IMAGE],
  () => ['DELETE', 'galleries/SIG_demo'],
  () => ['GET', 'virtualMachineScaleSets/pool1/virtualMachines'],
  () => ['GET', VERSION, { query: '$expand=ReplicationStatus' }],
  () => ['GET', 'virtualMachineScaleSets/pool1'],
];

const FATES: Fate[] = [
  'as-asked',
  'as-asked',
  'as-asked',
  'failed',
  'failed-but-applied',
  'succeeded-but-not-applied',
  'allocation-failed',
];
const walk = fc.array(
  fc.record({
    move: fc.nat(moves.length - 1),
    pick: fc.nat(100),
    fate: fc.constantFrom(...FATES),
    waitMs: fc.constantFrom(0, 5_000, 60_000, 3_600_000),
  }),
  { maxLength: 40 },
);

it('a random walk through the API never leaks a secret, loses a disk or leaves an inconsistent state', () => {
  fc.assert(
    fc.property(walk, (steps) => {
      const bench = new Bench({
        scaleSets: [
          {
            name: 'pool1',
            instances: 3,
            customData: 'canary-custom-data',
            extensions: [{ name: 'cse', publisher: 'p', type: 't', protectedSettings: { key: 'canary-protected' } }],
          },
        ],
      });
      const secret = Buffer.from('canary-custom-data').toString('base64');
      for (const { move, pick, fate, waitMs } of steps) {
        const [method, path, ask] = moves[move]!(bench, pick);
        const answer = bench.ask(method, path, { ...ask, strike: { fate } });
        const text = JSON.stringify(answer);
        expect(text.includes(secret) || text.includes('canary')).toBe(false);
        bench.nowMs += waitMs;
      }
      settle(bench.world, bench.nowMs + 24 * 3_600_000);
      const { world } = bench;
      for (const operation of Object.values(world.operations)) expect(operation.status).not.toBe('InProgress');
      const set = bench.set();
      for (const instance of instancesOf(world, set)) {
        expect(['Succeeded', 'Failed']).toContain(instance.state);
        expect(['running', 'stopped', 'deallocated']).toContain(instance.power);
        expect(world.disks[keyOf(instance.osDiskId ?? '')]?.managedBy).toBe(instance.id);
      }
      expect(Object.keys(world.disks)).toHaveLength(instancesOf(world, set).length);
      expect(['Succeeded', 'Failed']).toContain(set.state);
      for (const thing of [
        ...Object.values(world.galleries),
        ...Object.values(world.definitions),
        ...Object.values(world.versions),
      ]) {
        expect(['Succeeded', 'Failed']).toContain(thing.state);
      }
    }),
    {
      numRuns: 200,
      // Sends an action to an instance that is still being created.
      examples: [
        [
          [
            { move: 5, pick: 39, fate: 'as-asked', waitMs: 0 },
            { move: 3, pick: 71, fate: 'failed', waitMs: 0 },
          ],
        ],
      ],
    },
  );
});
