import { describe, expect, it } from 'vitest';
import { snapshotOf } from './snapshots.ts';

describe('snapshotOf', () => {
  it.each([
    [{ provisioningState: 'Succeeded' }, 'complete'],
    [{ provisioningState: 'Succeeded', completionPercent: 40 }, 'creating'],
    [{ provisioningState: 'Succeeded', completionPercent: 100 }, 'complete'],
    [{ provisioningState: 'Updating', completionPercent: 100 }, 'creating'],
    [{ provisioningState: 'Failed' }, 'failed'],
    [{ provisioningState: 'Canceled' }, 'failed'],
  ])('%j is %s', (fields, state) => {
    expect(snapshotOf({ location: 'we', ...fields }).state).toBe(state);
  });
});
