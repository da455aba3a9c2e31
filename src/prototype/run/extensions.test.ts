import { describe, expect, it } from 'vitest';
import type { Extension } from '../../vms/pools.ts';
import { bootstrapExtensions, cutOrderings } from './extensions.ts';

const extension = (name: string, publisher: string, type: string, after: string[] = []): Extension => ({
  name,
  publisher,
  type,
  after,
});

describe('bootstrapExtensions', () => {
  it('matches by publisher and type, never by name', () => {
    const found = bootstrapExtensions([
      extension('monitoring', 'Microsoft.Azure.Extensions', 'CustomScript'),
      extension('vmssCSE', 'Microsoft.Azure.Monitor', 'AzureMonitorLinuxAgent'),
      extension('computeAksLinuxBilling', 'Microsoft.AKS', 'Compute.AKS.Linux.Billing'),
      extension('health', 'Microsoft.ManagedServices', 'ApplicationHealthLinux', ['monitoring']),
    ]);
    expect(found.map((e) => e.name)).toEqual(['monitoring']);
  });

  it.each([
    ['Crowdstrike.Falcon', 'FalconSensorLinux'],
    ['Microsoft.Azure.AzureDefenderForServers', 'MDE.Linux'],
    ['Microsoft.EnterpriseCloud.Monitoring', 'OmsAgentForLinux'],
    ['Microsoft.Azure.KeyVault', 'KeyVaultForLinux'],
    ['Microsoft.GuestConfiguration', 'ConfigurationforLinux'],
    ['Contoso', 'Unknown'],
  ])('keeps %s %s, which waits for the script, directly or not', (publisher, type) => {
    const all = [
      extension('vmssCSE', 'Microsoft.Azure.Extensions', 'CustomScript'),
      extension('agent', publisher, type, ['vmssCSE']),
      extension('later', publisher, type, ['agent']),
    ];
    expect(bootstrapExtensions(all).map((e) => e.name)).toEqual(['vmssCSE']);
    expect(cutOrderings(all)).toEqual([{ extension: 'agent', after: ['vmssCSE'] }]);
  });

  it('removes bootstrap that waits for bootstrap, and cuts no ordering for it', () => {
    const all = [
      extension('a', 'Microsoft.Azure.Extensions', 'CustomScript', ['b']),
      extension('b', 'Microsoft.CPlat.Core', 'RunCommandLinux'),
    ];
    expect(bootstrapExtensions(all)).toHaveLength(2);
    expect(cutOrderings(all)).toEqual([]);
  });
});
