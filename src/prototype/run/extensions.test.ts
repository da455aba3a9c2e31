import { describe, expect, it } from 'vitest';
import type { Extension } from '../../vms/pools.ts';
import { bootstrapExtensions } from './extensions.ts';

const extension = (name: string, publisher: string, type: string, after: string[] = []): Extension => ({
  name,
  publisher,
  type,
  after,
});

describe('bootstrapExtensions', () => {
  it('matches by publisher and type, never by name, and includes dependent extensions', () => {
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
