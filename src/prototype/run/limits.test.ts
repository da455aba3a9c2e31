import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Definition } from '../../vms/gallery.ts';
import type { Model, OsDisk } from '../../vms/pools.ts';
import { PUBLISHER, prototypeDefinitionName, prototypeLabels } from '../names.ts';
import { Dial, type Lab, lab, POOL_REF } from '../testing.ts';
import { runPrototype } from './engine.ts';
import { donorViolations, readDonorState } from './invariants.testing.ts';
import type { RunEvent } from './run-event.ts';

const KEY = '/subscriptions/s/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/nodes';

function withModel(change: Partial<Model>, world = lab()): Lab {
  const pool = world.provider.state.pools.get(world.ref.pool.id)!;
  pool.model = { ...pool.model, ...change };
  return world;
}

function withDisk(change: Partial<OsDisk>, world = lab()): Lab {
  world.donor.osDisk = { ...world.donor.osDisk!, securityType: 'Standard', isEncryptedInGuest: false, ...change };
  return world;
}

function withDefinition(change: Partial<Definition>, world = lab()): Lab {
  const name = prototypeDefinitionName(POOL_REF);
  const { gallery } = world.intent;
  const definition: Definition = {
    ...{ id: `/galleries/${gallery}/${name}`, gallery, name, publisher: PUBLISHER },
    ...{ osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' },
    ...prototypeLabels(gallery, POOL_REF),
    ...change,
  };
  world.provider.state.galleries.add(gallery);
  world.provider.state.definitions.set(`${gallery}/${name}`, definition);
  return world;
}

function withReplicas(replicas: number, world = lab()): Lab {
  world.intent.replicas = replicas;
  return world;
}

/** Calls that change something; the hold on the pool is taken before anything is read. */
function changes({ names }: Dial): string[] {
  return names.filter((name) => !/^(read|list|locate|find|referenced|holdLease$|releaseLease$)/.test(name));
}

const IMPOSSIBLE: [string, string, (world?: Lab) => Lab][] = [
  ['confidential VMs', 'confidential', (w) => withModel({ securityType: 'ConfidentialVM' }, w)],
  ['an unknown generation', 'unknown-generation', (w) => withModel({ generation: 'unknown' }, w)],
  ['an unknown disk controller', 'unknown-disk-controller', (w) => withModel({ diskController: 'unknown' }, w)],
  ['NVMe in generation 1', 'nvme-generation', (w) => withModel({ diskController: 'NVMe', generation: 'V1' }, w)],
  ['data disks from the image', 'data-disks', (w) => withModel({ hasDataDisksFromImage: true }, w)],
  ['an edge zone', 'edge-zone', (w) => withModel({ edgeZone: 'losangeles' }, w)],
  ['a managed image', 'managed-image', (w) => withModel({ image: { kind: 'managed', id: '/images/mine' } }, w)],
  ['no image', 'no-image', (w) => withModel({ image: { kind: 'other', id: '' } }, w)],
  ['an image of an unknown kind', 'no-image', (w) => withModel({ image: { kind: 'other', id: '/what/is/it' } }, w)],
  ['101 replicas', 'too-many-replicas', (w) => withReplicas(101, w)],
  ["a donor with a customer's key", 'other-key', (w) => withDisk({ diskEncryptionSetId: KEY }, w)],
  [
    'a donor with the key of the platform',
    'other-key',
    (w) => withDisk({}, withModel({ diskEncryptionSetId: KEY }, w)),
  ],
  ['a donor encrypted from inside', 'encrypted-in-guest', (w) => withDisk({ isEncryptedInGuest: true }, w)],
  ['a donor of another generation', 'other-generation', (w) => withDisk({ generation: 'V1' }, w)],
  ['a donor of another security type', 'other-security-type', (w) => withDisk({ securityType: 'TrustedLaunch' }, w)],
  ['a confidential donor', 'other-security-type', (w) => withDisk({ securityType: 'ConfidentialVM' }, w)],
  ['a definition of generation 1', 'definition-differs', (w) => withDefinition({ generation: 'V1' }, w)],
  ['a definition for Arm64', 'definition-differs', (w) => withDefinition({ architecture: 'Arm64' }, w)],
  ['a definition for secure boot', 'definition-differs', (w) => withDefinition({ securityType: 'TrustedLaunch' }, w)],
  ['a definition for Windows', 'definition-differs', (w) => withDefinition({ os: 'windows' }, w)],
  [
    'a definition with a plan',
    'definition-differs',
    (w) => withDefinition({ plan: { name: 'a', product: 'b', publisher: 'c' } }, w),
  ],
  [
    'a definition of another tool that does not fit',
    'definition-differs',
    (w) => withDefinition({ publisher: 'kamino', offer: 'o', sku: 's', generation: 'V1' }, w),
  ],
  [
    'a definition without NVMe for NVMe disks',
    'definition-differs',
    (w) => withDefinition({}, withModel({ diskController: 'NVMe' }, w)),
  ],
  ['a specialized definition', 'os-state', (w) => withDefinition({ osState: 'specialized' }, w)],
];

describe('a run that cannot succeed', () => {
  it.each(IMPOSSIBLE)('with %s is refused before any change (%s)', async (_, code, make) => {
    const world = make();
    const found = readDonorState(world);
    const dial = new Dial();
    await expect(world.run(dial)).rejects.toMatchObject({
      code: `prototype/${code}`,
      next: expect.stringMatching(/\w/),
      kept: expect.stringContaining('Nothing'),
    });
    expect(changes(dial)).toEqual([]);
    expect(donorViolations(world, found)).toEqual([]);
    expect(world.cluster.pods).toHaveLength(2);
  });

  it('names every reason at once', async () => {
    await fc.assert(
      fc.asyncProperty(fc.subarray(IMPOSSIBLE.slice(0, 6), { minLength: 1 }), async (some) => {
        // Two of them change the same field.
        const reasons = some.filter(([what]) => what !== 'NVMe in generation 1');
        fc.pre(reasons.length > 0);
        const world = lab();
        for (const [, , make] of reasons) make(world);
        const dial = new Dial();
        const failure = await world.run(dial).catch((error: Error) => error);
        expect((failure as Error).message.split('; ')).toHaveLength(reasons.length);
        expect(changes(dial)).toEqual([]);
      }),
    );
  });
});

describe('a run succeeds', () => {
  it.each<[string, () => Lab]>([
    [
      "with a customer's key",
      () => withDisk({ diskEncryptionSetId: KEY.toUpperCase() }, withModel({ diskEncryptionSetId: KEY })),
    ],
    [
      'with NVMe disks',
      () => withModel({ diskController: 'NVMe', imageFeatures: { DiskControllerTypes: 'SCSI, NVMe' } }),
    ],
    ['with 100 replicas', () => withReplicas(100)],
    ['from a community image', () => withModel({ image: { kind: 'community', id: '/CommunityGalleries/a/Images/b' } })],
    ['from a shared image', () => withModel({ image: { kind: 'shared', id: '/SharedGalleries/a/Images/b' } })],
    ['with a fitting definition', () => withDefinition({})],
    [
      'with a definition that supports NVMe too',
      () =>
        withDefinition({ imageFeatures: { DiskControllerTypes: 'NVMe,SCSI' } }, withModel({ diskController: 'NVMe' })),
    ],
  ])('%s', async (_, make) => {
    expect((await make().run()).steps).toContain('switch-model');
  });

  it('in a fitting definition of another tool, and says so', async () => {
    const world = withDefinition({ publisher: 'kamino', offer: 'other', sku: 'other' });
    const events: RunEvent[] = [];
    const { steps } = await runPrototype(world.intent, world.ref, 'r', {
      ...world.provider,
      ...{ cluster: world.cluster, clock: world.clock, signal: new AbortController().signal },
      seal: async () => {
        world.donor.isSealed = true;
      },
      onEvent: (event) => events.push(event),
    });
    expect(steps).not.toContain('ensure-definition');
    expect(steps).toContain('switch-model');
    const notes = events.filter(({ event }) => event === 'note');
    expect(notes).toEqual([{ event: 'note', text: expect.stringContaining('publisher kamino') }]);
  });
});
