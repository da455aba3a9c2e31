import { describe, expect, it } from 'vitest';
import { pinApiVersion } from './api-versions.ts';

describe('api-versions', () => {
  const base = 'https://management.azure.com/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute';
  it.each([
    [`${base}/virtualMachineScaleSets/p?api-version=2026-04-01`, '2024-07-01'],
    [`${base}/virtualMachines/v?$expand=instanceView&api-version=2026-04-01`, '2024-07-01'],
    [`${base}/snapshots/s?api-version=2026-03-02`, '2024-03-02'],
    [`${base}/disks/d?api-version=2026-03-02`, '2024-03-02'],
    [`${base}/galleries/g/images/i/versions/1.2.3?api-version=2025-12-03&$expand=ReplicationStatus`, '2024-03-03'],
  ])('%s is pinned to %s', (url, version) => {
    expect(new URL(pinApiVersion(url)).searchParams.get('api-version')).toBe(version);
  });

  it("of an operation's URL are left unchanged", () => {
    const url =
      'https://x/subscriptions/s/providers/Microsoft.Compute/locations/westeurope/DiskOperations/1?p=2&api-version=2024-03-02&t=3';
    expect(pinApiVersion(url)).toBe(url);
  });
});
