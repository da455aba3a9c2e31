// vms/azure/scale-set.testing.ts: a scale set as Azure returns it, for tests without a network.
import { type AzureScaleSet, scaleSetSchema } from './scale-set.ts';

export const group = '/subscriptions/s/resourceGroups/demo/providers/Microsoft.Compute';
export const definitionId = `${group}/galleries/SIG_demo/images/kamino-pool-prototype`;
export const versionId = `${definitionId}/versions/2026.11.15`;

export const extension = (name: string, after: string[] = []) => ({
  id: `${group}/x/${name}`,
  type: 'Microsoft.Compute/virtualMachineScaleSets/extensions',
  name,
  properties: {
    publisher: 'P',
    type: name,
    typeHandlerVersion: '1.0',
    settings: { port: 1 },
    provisioningState: 'Succeeded',
    suppressFailures: true,
    ...(after.length > 0 && { provisionAfterExtensions: after }),
  },
});

interface ScaleSetChange {
  properties?: object;
  profile?: object;
  top?: object;
}

export const scaleSetPool = { id: `${group}/virtualMachineScaleSets/pool`, name: 'pool' };

export function scaleSet(change: ScaleSetChange = {}): AzureScaleSet {
  return scaleSetSchema.parse(rawScaleSet(change));
}

/** As Azure's JSON. */
export function rawScaleSet(change: ScaleSetChange = {}): object {
  return {
    id: `${group}/virtualMachineScaleSets/pool`,
    name: 'pool',
    location: 'westeurope',
    etag: '"7"',
    tags: { team: 'a' },
    sku: { name: 'Standard_D4s_v5', capacity: 3 },
    properties: {
      provisioningState: 'Succeeded',
      orchestrationMode: 'Uniform',
      upgradePolicy: { mode: 'Manual' },
      virtualMachineProfile: {
        osProfile: { computerNamePrefix: 'pool', adminUsername: 'azureuser' },
        storageProfile: {
          imageReference: { publisher: 'Canonical', offer: 'ubuntu', sku: 'server', version: 'latest' },
          osDisk: { osType: 'Linux', diskSizeGB: 30 },
        },
        extensionProfile: {
          extensions: [extension('bootstrap'), extension('health', ['bootstrap'])],
          extensionsTimeBudget: 'PT45M',
        },
        ...change.profile,
      },
      ...change.properties,
    },
    ...change.top,
  };
}
