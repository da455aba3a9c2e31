import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { testDeps } from '../testing.ts';
import type { AzureOptions } from './azure-options.ts';
import { openAzure } from './open-azure.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-azure-'));
afterAll(() => rmSync(folder, { recursive: true }));

const open = async (options: AzureOptions, env: Record<string, string> = {}) =>
  (await openAzure({ login: 'operator', ...options }, testDeps({ env }).deps)).settings;

describe('openAzure', () => {
  it('prefers the options to the environment, and the environment to azure.json', async () => {
    const azureJson = join(folder, 'azure.json');
    writeFileSync(azureJson, JSON.stringify({ subscriptionId: 'file-s', resourceGroup: 'file-g', tenantId: 'file-t' }));
    const env = { AZURE_SUBSCRIPTION_ID: 'env-s', AZURE_RESOURCE_GROUP: 'env-g' };
    expect(
      await open({ azureJson, subscription: 'flag-s', azureEndpoint: 'https://127.0.0.1:8443/' }, env),
    ).toMatchObject({
      subscriptionId: 'flag-s',
      resourceGroup: 'env-g',
      tenantId: 'file-t',
      endpoint: 'https://127.0.0.1:8443',
      endpointFrom: '--azure-endpoint',
    });
  });

  it('needs no file if the options have all settings', async () => {
    expect(await open({ subscription: 's', resourceGroup: 'g' })).toMatchObject({ subscriptionId: 's' });
  });

  it('refuses a named file that does not exist', async () => {
    await expect(open({ azureJson: join(folder, 'none.json') })).rejects.toMatchObject({
      code: 'prototype/azure-json',
      message: expect.stringMatching(/^cannot read .*none\.json: ENOENT$/),
    });
  });

  it('reads the file that describes an Azure Stack', async () => {
    const file = join(folder, 'azurestackcloud.json');
    const stack = {
      resourceManagerEndpoint: 'https://management.local.stack/',
      activeDirectoryEndpoint: 'https://login.local.stack/',
      tokenAudience: 'https://management.stack.onmicrosoft.com/abc',
    };
    writeFileSync(file, JSON.stringify(stack));
    const env = { AZURE_ENVIRONMENT_FILEPATH: file, AZURE_ENVIRONMENT: 'AzureStackCloud' };
    expect(await open({ subscription: 's', resourceGroup: 'g' }, env)).toMatchObject({
      endpoint: 'https://management.local.stack',
      endpointFrom: `${file} (resourceManagerEndpoint)`,
      authorityHost: 'https://login.local.stack',
      audience: 'https://management.stack.onmicrosoft.com/abc',
    });
  });

  it('refuses a description that does not exist', async () => {
    const env = { AZURE_ENVIRONMENT_FILEPATH: join(folder, 'none.json') };
    await expect(open({ subscription: 's', resourceGroup: 'g' }, env)).rejects.toMatchObject({
      code: 'azure/cloud-file',
    });
  });
});
