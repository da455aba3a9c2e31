import { describe, expect, it } from 'vitest';
import { blobPlace } from './blob-place.ts';

const SETTINGS = { subscriptionId: 's', resourceGroup: 'g', endpoint: 'https://management.azure.com' };
const ID = '/subscriptions/a/resourceGroups/b/providers/Microsoft.Storage/storageAccounts/images1';

describe('blobPlace', () => {
  it('uses an account of the resource group, or a full resource id', () => {
    const container = 'images';
    expect(blobPlace({ storageAccount: 'images1', container }, {}, SETTINGS)).toEqual({
      endpoint: 'https://images1.blob.core.windows.net',
      container,
      storageAccountId: '/subscriptions/s/resourceGroups/g/providers/Microsoft.Storage/storageAccounts/images1',
    });
    expect(blobPlace({ storageAccount: ID, container }, {}, SETTINGS).storageAccountId).toBe(ID);
  });

  it.each([
    ['https://management.usgovcloudapi.net', 'https://images1.blob.core.usgovcloudapi.net'],
    ['https://management.chinacloudapi.cn', 'https://images1.blob.core.chinacloudapi.cn'],
  ])('uses the storage domain of %s', (endpoint, blob) => {
    const place = blobPlace({ storageAccount: 'images1', container: 'images' }, {}, { ...SETTINGS, endpoint });
    expect(place.endpoint).toBe(blob);
  });

  it('does not print the key of a connection string', () => {
    const env = { AZURE_STORAGE_CONNECTION_STRING: 'AccountKey=hush' };
    const place = blobPlace({ storageAccount: 'images1', container: 'images' }, env, SETTINGS);
    expect(place.connectionString?.reveal()).toBe('AccountKey=hush');
    expect(JSON.stringify(place)).not.toContain('hush');
  });

  it('reports every problem at once', () => {
    const given = { storageAccount: 'a.evil.example/', container: '../x', blobEndpoint: 'http://x' };
    expect(() => blobPlace(given, {}, SETTINGS)).toThrow(
      /no storage account.*is not a container name.*not an https URL/,
    );
  });
});
