import { describe, expect, it } from 'vitest';
import { definitionId, versionId } from './scale-set.testing.ts';
import { toVersion } from './versions.ts';

describe('toVersion', () => {
  const definition = { id: definitionId, gallery: 'SIG_demo', name: 'kamino-pool-prototype' } as Parameters<
    typeof toVersion
  >[1];
  const summary = [
    { region: 'West Europe', state: 'Completed', progress: 100 },
    { region: 'North Europe', state: 'Replicating', progress: 35 },
  ];

  it.each([
    ['Creating', undefined, 'creating'],
    ['Succeeded', 'Completed', 'ready'],
    ['Succeeded', 'InProgress', 'replicating'],
    ['Succeeded', 'Unknown', 'replicating'],
    ['Succeeded', undefined, 'ready'],
    ['Succeeded', 'Failed', 'failed'],
    ['Updating', 'Completed', 'replicating'],
    ['Failed', undefined, 'failed'],
    ['Canceled', undefined, 'failed'],
    ['Deleting', 'Completed', 'deleting'],
  ])('with state %s and replication %s is %s', (provisioningState, aggregatedState, state) => {
    const replicationStatus = aggregatedState ? { aggregatedState, summary } : undefined;
    const found = {
      location: 'we',
      name: '2026.11.15',
      provisioningState,
      ...(replicationStatus && { replicationStatus }),
    };
    expect(toVersion(found, definition)).toMatchObject({
      state,
      id: versionId,
      percent: state === 'ready' ? 100 : aggregatedState ? 35 : 0,
    });
  });

  it.each([
    [['Completed', 'Completed'], 'ready'],
    [['Completed', 'Replicating'], 'replicating'],
    [['Completed', 'Failed'], 'failed'],
    [['Unknown'], 'replicating'],
    [[], 'replicating'],
  ])('whose whole replication is unknown is judged by its regions: %j is %s', (regions, state) => {
    const seen = regions.map((one) => ({ region: 'West Europe', state: one, progress: 50 }));
    const replicationStatus = { aggregatedState: 'Unknown', summary: seen };
    const found = { location: 'we', name: '2026.11.15', provisioningState: 'Succeeded', replicationStatus };
    expect(toVersion(found, definition).state).toBe(state);
  });
});
