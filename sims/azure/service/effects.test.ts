import { describe, expect, it } from 'vitest';
import { Bench, withVersion } from '../testing.ts';
import type { Fate } from '../world.ts';

describe('upgrade mode Automatic', () => {
  it('replaces running instances as soon as the model changes, except protected ones', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 3, upgrades: 'Automatic' }] });
    bench.askAndWait('PUT', 'virtualMachineScaleSets/pool1/virtualMachines/0', {
      body: { location: 'westeurope', properties: { protectionPolicy: { protectFromScaleSetActions: true } } },
    });
    const before = bench.instances().map(({ osDiskId }) => osDiskId);
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', {
      body: { properties: { virtualMachineProfile: { osProfile: { customData: 'AAAA' } } } },
    });
    const isKept = bench.instances().map(({ osDiskId }, i) => osDiskId === before[i]);
    expect(isKept).toEqual([true, false, false]);
  });
});

describe('an operation with a fault', () => {
  const SNAPSHOT = (bench: Bench) => ({
    body: {
      location: 'westeurope',
      properties: { creationData: { createOption: 'Copy', sourceResourceId: bench.instances()[0]!.osDiskId } },
    },
  });

  it.each<[Fate, string | undefined]>([
    ['as-asked', 'Succeeded'],
    ['failed', 'Failed'],
    ['failed-but-applied', 'Succeeded'],
    ['succeeded-but-not-applied', undefined],
  ])('%s leaves a snapshot that is %s', (fate, state) => {
    const bench = new Bench();
    bench.askAndWait('PUT', 'snapshots/s', { ...SNAPSHOT(bench), strike: { fate } });
    expect(Object.values(bench.world.snapshots)[0]?.state).toBe(state);
  });

  it.each<[Fate, number]>([
    ['as-asked', 3],
    ['failed', 2],
    ['succeeded-but-not-applied', 2],
    ['failed-but-applied', 3],
  ])('%s leaves a growing set with %i instances, all of them usable', (fate, count) => {
    const bench = new Bench();
    bench.askAndWait('PATCH', 'virtualMachineScaleSets/pool1', { body: { sku: { capacity: 3 } }, strike: { fate } });
    expect(bench.instances().map(({ state, power }) => [state, power])).toEqual(
      Array.from({ length: count }, () => ['Succeeded', 'running']),
    );
  });

  it.each<[Fate, number]>([
    ['as-asked', 1],
    ['failed', 2],
    ['succeeded-but-not-applied', 2],
  ])('%s leaves %i instances after the deletion of one', (fate, count) => {
    const bench = new Bench();
    bench.askAndWait('DELETE', 'virtualMachineScaleSets/pool1/virtualMachines/1', { strike: { fate } });
    expect(bench.instances().filter(({ state }) => state === 'Succeeded')).toHaveLength(count);
  });

  it('keeps a version whose deletion failed, until it is deleted again', () => {
    const bench = new Bench();
    withVersion(bench);
    const [version] = Object.values(bench.world.versions);
    const path = 'galleries/SIG_demo/images/proto/versions/2026.11.15';
    bench.askAndWait('DELETE', path, { strike: { fate: 'failed' } });
    expect(Object.values(bench.world.versions)[0]).toMatchObject({ id: version!.id, state: 'Failed' });
    bench.askAndWait('DELETE', path);
    expect(bench.world.versions).toEqual({});
  });
});
