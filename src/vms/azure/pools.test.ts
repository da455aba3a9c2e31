import { describe, expect, it } from 'vitest';
import { NotFound } from '../../base/failures.ts';
import { wire } from './connect/testing.ts';
import { findPool, guessedHardware, readPool } from './pools.ts';
import { group, rawScaleSet, scaleSet, scaleSetPool } from './scale-set.testing.ts';
import { azureOn } from './testing.ts';

const there = { status: 200, body: rawScaleSet() };
const noInstances = { status: 200, body: { value: [] } };

describe('finding a pool', () => {
  it('by name reads one scale set of the resource group', async () => {
    const { call, sent } = await wire(there);
    expect(await findPool(azureOn(call), 'POOL')).toEqual(scaleSetPool);
    expect(sent.map(({ url }) => url.pathname)).toEqual([
      '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/virtualMachineScaleSets/POOL',
    ]);
  });

  it('by id also finds a pool in another group', async () => {
    const { call, sent } = await wire(there);
    await findPool(azureOn(call), scaleSetPool.id);
    expect(sent[0]?.url.pathname).toBe(`${group}/virtualMachineScaleSets/pool`);
  });

  it('by an invalid name fails without reading it', async () => {
    const { call, sent } = await wire(noInstances, noInstances);
    await expect(findPool(azureOn(call), 'no/such pool')).rejects.toBeInstanceOf(NotFound);
    expect(sent.map(({ url }) => url.pathname).filter((path) => path.includes('such'))).toEqual([]);
  });
});

describe('reading a pool', () => {
  it('takes the hardware from a disk, which is read once per image', async () => {
    const osDisk = { createOption: 'FromImage', diskSizeGB: 30, managedDisk: { id: `${group}/disks/d` } };
    const one = { instanceId: '0', location: 'we', properties: { storageProfile: { osDisk } } };
    const disk = { properties: { hyperVGeneration: 'V2', supportedCapabilities: { architecture: 'Arm64' } } };
    const { call, sent } = await wire(
      there,
      { status: 200, body: { value: [one] } },
      { status: 200, body: disk },
      there,
    );
    const azure = azureOn(call);
    for (const _ of [1, 2])
      expect((await readPool(azure, scaleSetPool))?.model).toMatchObject({ generation: 'V2', architecture: 'Arm64' });
    expect(sent).toHaveLength(4);
  });

  it.each([
    ['V1', undefined, 'V1'],
    [undefined, 'V1', 'V1'],
    [undefined, 'V2', 'V2'],
    ['V2', 'V1', 'V2'],
    [undefined, undefined, 'unknown'],
  ])('of a disk that says %s and an instance that says %s has generation %s', async (disk, view, expected) => {
    const osDisk = { createOption: 'FromImage', diskSizeGB: 30, managedDisk: { id: `${group}/disks/d` } };
    const properties = { storageProfile: { osDisk }, instanceView: { hyperVGeneration: view } };
    const { call } = await wire(
      there,
      { status: 200, body: { value: [{ instanceId: '0', location: 'we', properties }] } },
      { status: 200, body: { location: 'we', properties: { hyperVGeneration: disk } } },
    );
    expect((await readPool(azureOn(call), scaleSetPool))?.model.generation).toBe(expected);
  });

  it('asks an instance of the current model, not the first one', async () => {
    const instance = (number: string, latestModelApplied: boolean) => ({
      instanceId: number,
      location: 'we',
      properties: {
        latestModelApplied,
        storageProfile: {
          osDisk: { createOption: 'FromImage', diskSizeGB: 30, managedDisk: { id: `${group}/disks/d${number}` } },
        },
      },
    });
    const { call, sent } = await wire(
      there,
      { status: 200, body: { value: [instance('0', false), instance('1', true)] } },
      { status: 200, body: { location: 'we', properties: { hyperVGeneration: 'V2' } } },
    );
    expect((await readPool(azureOn(call), scaleSetPool))?.model.generation).toBe('V2');
    expect(sent.at(-1)?.url.pathname).toMatch(/disks\/d1$/);
  });

  it('guesses the hardware of a pool without instances, and reads it again the next time', async () => {
    const { call, sent } = await wire(there, noInstances, there, noInstances);
    const azure = azureOn(call);
    for (const _ of [1, 2]) expect((await readPool(azure, scaleSetPool))?.model.generation).toBe('unknown');
    expect(sent).toHaveLength(4);
    expect([...azure.knownGroups.keys()]).toEqual(['/subscriptions/s/resourceGroups/demo']);
  });
});

describe('guessedHardware', () => {
  it.each([
    ['Standard_D4s_v5', 'x64', 'unknown'],
    ['Standard_D4ps_v5', 'Arm64', 'V2'],
    ['Standard_E8pds_v6', 'Arm64', 'V2'],
    ['Standard_NP10s', 'x64', 'unknown'],
    ['Standard_E4-2ds_v5', 'x64', 'unknown'],
  ])('of %s is %s, %s', (name, architecture, generation) => {
    expect(guessedHardware(scaleSet({ top: { sku: { name, capacity: 0 } } }))).toEqual({ architecture, generation });
  });

  it('is generation 2 with secure boot', () => {
    const set = scaleSet({ profile: { securityProfile: { securityType: 'TrustedLaunch' } } });
    expect(guessedHardware(set).generation).toBe('V2');
  });
});
