// Pools with keys, NVMe disks, foreign images and long names, with the official SDK against the simulated Azure: they work, or are refused unchanged.
import { afterEach, describe, expect, it } from 'vitest';
import { type Referee, seatReferee } from '../../../sims/azure/referee/referee.ts';
import { objectAt, objectsAt, stringAt } from '../../../sims/azure/service/json.ts';
import { groupId, keyOf, PROVIDER } from '../../../sims/azure/world.ts';
import type { AzureLab } from '../../vms/azure/testing.ts';
import type { SavedModel } from '../../vms/publisher.ts';
import { rollbackToOriginal } from '../after/rollback.ts';
import { prototypeDefinitionName, savedModelName } from '../names.ts';
import { type AzureWorldOptions, azureWorld } from './azure-world.testing.ts';

let lab: AzureLab | undefined;
afterEach(() => lab?.end());

const referee: Referee = await seatReferee();

async function world(mode: 'Uniform' | 'Flexible', options: AzureWorldOptions) {
  const made = await azureWorld(mode, referee, options);
  lab = made.lab;
  return made;
}

const KEY = '/subscriptions/s/resourceGroups/keys/providers/Microsoft.Compute/diskEncryptionSets/nodes';

describe.each(['Uniform', 'Flexible'] as const)('a run on a %s pool', (mode) => {
  it("with a customer's key encrypts the snapshot and the version with it", async () => {
    const { run, lab, pool, sim } = await world(mode, { scaleSet: { diskEncryptionSet: KEY } });
    expect((await run('first')).steps).toContain('switch-model');
    const snapshots = sim.requests.filter(({ method, path }) => method === 'PUT' && path.includes('/snapshots/'));
    expect(snapshots).toHaveLength(1);
    const [version] = Object.values(sim.inspect().versions);
    const [target] = objectsAt(version!.properties, 'publishingProfile', 'targetRegions');
    expect(stringAt(target, 'encryption', 'osDiskImage', 'diskEncryptionSetId')).toBe(KEY);
    expect((await lab.grow(pool.ref)).image.kind).toBe('version');
    expect(sim.violations).toEqual([]);
  });

  it('with NVMe disks declares them in the definition, so that new instances start', async () => {
    const { run, lab, pool, sim } = await world(mode, {
      scaleSet: { size: 'Standard_D4s_v6', diskController: 'NVMe' },
    });
    await run('first');
    const [definition] = Object.values(sim.inspect().definitions);
    expect(objectsAt(definition!.properties, 'features')).toEqual([
      { name: 'DiskControllerTypes', value: 'SCSI, NVMe' },
    ]);
    expect((await lab.grow(pool.ref)).image.kind).toBe('version');
  });

  it.each([
    { communityGalleryImageId: '/CommunityGalleries/capz-1/Images/ubuntu/Versions/1.31.4' },
    { sharedGalleryImageId: '/SharedGalleries/s-1/Images/node' },
  ])('of %j switches, and the way back restores that image', async (image) => {
    const { run, lab, pool, cluster, sim } = await world(mode, {
      scaleSet: { image: image as unknown as { id: string } },
    });
    await run('first');
    expect((await lab.grow(pool.ref)).image.kind).toBe('version');
    const recipe = JSON.parse(cluster.secrets.get(savedModelName(pool.ref))!.recipe!) as SavedModel;
    const now = (await lab.provider.pools.readPool(pool.ref))!;
    await lab.provider.publisher.changeModel(now, rollbackToOriginal(now, recipe));
    const set = Object.values(sim.inspect().scaleSets).find(({ id }) => id === pool.ref.id)!;
    const profile = objectAt(set.properties, 'virtualMachineProfile', 'storageProfile');
    expect(objectAt(profile, 'imageReference')).toEqual(image);
    expect((await lab.grow(pool.ref)).customData).toBeDefined();
  });

  it('with the longest names works', async () => {
    const name = 'n'.repeat(64);
    const { run, intent, lab, pool } = await world(mode, {
      scenario: { scaleSets: [{ name, mode, instances: 2, customData: 'x' }] },
    });
    intent.gallery = `SIG_${'g'.repeat(76)}`;
    expect((await run('first')).steps).toContain('switch-model');
    expect((await lab.grow(pool.ref)).image.kind).toBe('version');
  });
});

describe('a run on a pool that it cannot serve', () => {
  it.each<[string, AzureWorldOptions['scaleSet']]>([
    ['confidential', { securityType: 'ConfidentialVM' }],
    ['data-disks', { dataDisks: [{ lun: 0, from: 'FromImage' }] }],
    ['managed-image', { image: { id: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/images/mine' } }],
  ])('is refused (%s) with reads alone', async (code, scaleSet) => {
    const { run, sim } = await world('Uniform', { scaleSet: scaleSet! });
    await expect(run('first')).rejects.toMatchObject({ code: `prototype/${code}` });
    expect([...new Set(sim.requests.map(({ method }) => method))]).toEqual(['GET']);
  });

  it.each([
    ['refuses', 'V1'],
    ['uses', 'V2'],
  ])('%s a definition of another tool with generation %s', async (_, hyperVGeneration) => {
    const { run, sim, intent } = await world('Uniform', {});
    sim.meddle((azure) => {
      const { location, createdMs } = Object.values(azure.scaleSets)[0]!;
      const made = { location, createdMs, tags: {}, state: 'Succeeded' as const };
      const id = `${groupId(azure, 'contract')}/${PROVIDER}/galleries/${intent.gallery}`;
      const name = prototypeDefinitionName({ id: 'p', name: 'pool-3' });
      const traits = { osType: 'Linux', osState: 'Generalized', hyperVGeneration, architecture: 'x64' };
      const identifier = { publisher: 'kamino', offer: 'contract', sku: 'pool-3' };
      azure.galleries[keyOf(id)] = { ...made, id, name: intent.gallery, properties: {} };
      azure.definitions[keyOf(`${id}/images/${name}`)] = {
        ...{ ...made, id: `${id}/images/${name}`, name },
        properties: { ...traits, identifier },
      };
    });
    if (hyperVGeneration === 'V1') {
      await expect(run('first')).rejects.toMatchObject({ code: 'prototype/definition-differs' });
      expect([...new Set(sim.requests.map(({ method }) => method))]).toEqual(['GET']);
    } else {
      expect((await run('first')).steps).toContain('switch-model');
    }
  });
});

describe('the referee', () => {
  it('rejects no request', async () => {
    expect((await referee.report()).rejected).toEqual([]);
  });
});
