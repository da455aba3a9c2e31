import { describe, expect, it } from 'vitest';
import { parseAzureJson } from './azure-json.ts';
import { chooseSettings, needsCloudFile } from './settings.ts';

const azureJson = parseAzureJson(
  JSON.stringify({ cloud: 'AzurePublicCloud', tenantId: 'file-t', subscriptionId: 'file-s', resourceGroup: 'file-g' }),
  'azure.json',
);
const base = { subscription: 's', resourceGroup: 'g' };

describe('Azure settings', () => {
  it('come from flags, then the environment, then azure.json', () => {
    const env = { AZURE_SUBSCRIPTION_ID: 'env-s', AZURE_RESOURCE_GROUP: 'env-g', AZURE_TENANT_ID: 'env-t' };
    expect(chooseSettings({ flags: {}, env: {}, azureJson })).toMatchObject({
      subscriptionId: 'file-s',
      resourceGroup: 'file-g',
      tenantId: 'file-t',
    });
    expect(chooseSettings({ flags: {}, env, azureJson })).toMatchObject({ subscriptionId: 'env-s', tenantId: 'env-t' });
    expect(chooseSettings({ flags: { subscription: 'flag-s' }, env, azureJson })).toMatchObject({
      subscriptionId: 'flag-s',
      resourceGroup: 'env-g',
    });
  });

  it.each([
    ['AzurePublicCloud', 'https://management.azure.com', 'https://login.microsoftonline.com'],
    ['AzureCloud', 'https://management.azure.com', 'https://login.microsoftonline.com'],
    ['AZUREUSGOVERNMENTCLOUD', 'https://management.usgovcloudapi.net', 'https://login.microsoftonline.us'],
    ['AzureUSGovernment', 'https://management.usgovcloudapi.net', 'https://login.microsoftonline.us'],
    ['AzureChinaCloud', 'https://management.chinacloudapi.cn', 'https://login.chinacloudapi.cn'],
  ])('have the addresses of %s', (cloud, endpoint, authorityHost) => {
    expect(chooseSettings({ flags: { ...base, cloud }, env: {} })).toMatchObject({
      endpoint,
      authorityHost,
      audience: endpoint,
    });
  });

  describe('of an Azure Stack', () => {
    const stack = {
      name: 'AzureStackCloud',
      resourceManagerEndpoint: 'https://management.local.stack/',
      activeDirectoryEndpoint: 'https://login.local.stack/',
      serviceManagementEndpoint: 'https://management.stack.onmicrosoft.com/abc',
    };
    const cloudFile = (fields: object = {}) => ({ from: 'FILE', text: JSON.stringify({ ...stack, ...fields }) });
    const flags = { ...base, cloud: 'AzureStackCloud' };

    it('come from the file that describes it, also with a byte order mark', () => {
      const expected = {
        endpoint: 'https://management.local.stack',
        endpointFrom: 'FILE (resourceManagerEndpoint)',
        authorityHost: 'https://login.local.stack',
        authorityHostFrom: 'FILE (activeDirectoryEndpoint)',
        audience: 'https://management.stack.onmicrosoft.com/abc',
      };
      expect(chooseSettings({ flags, env: {}, cloudFile: cloudFile() })).toMatchObject(expected);
      const marked = { ...cloudFile(), text: `\uFEFF${cloudFile().text}` };
      expect(chooseSettings({ flags, env: {}, cloudFile: marked })).toMatchObject(expected);
    });

    it.each([
      [{ tokenAudience: 'https://audience' }, 'https://audience'],
      [{ tokenAudience: '' }, 'https://management.stack.onmicrosoft.com/abc'],
      [{ serviceManagementEndpoint: undefined }, 'https://management.local.stack'],
    ])('have the audience of %j', (fields, audience) => {
      expect(chooseSettings({ flags, env: {}, cloudFile: cloudFile(fields) }).audience).toBe(audience);
    });

    it('give way to flags and to the environment', () => {
      const env = { AZURE_AUTHORITY_HOST: 'https://login.other' };
      const chosen = { ...flags, azureEndpoint: 'https://arm.other' };
      expect(chooseSettings({ flags: chosen, env, cloudFile: cloudFile() })).toMatchObject({
        endpoint: 'https://arm.other',
        endpointFrom: '--azure-endpoint',
        authorityHost: 'https://login.other',
      });
      const typed = { ...base, cloud: 'AzureUSGovernmentCloud' };
      expect(chooseSettings({ flags: typed, env: {}, cloudFile: cloudFile() })).toMatchObject({
        endpoint: 'https://management.usgovcloudapi.net',
      });
    });

    it.each([
      ['not JSON', 'FILE does not describe a cloud (the file: is not a JSON object)'],
      ['[]', 'is not a JSON object'],
      ['{}', 'resourceManagerEndpoint: is missing, activeDirectoryEndpoint: is missing'],
      [cloudFile({ resourceManagerEndpoint: 'http://arm' }).text, 'resourceManagerEndpoint: is not an https address'],
    ])('are refused if the file is %s', (text, problem) => {
      expect(() => chooseSettings({ flags, env: {}, cloudFile: { from: 'FILE', text } })).toThrow(problem);
    });

    it('without a file are unknown, and the error names the variable', () => {
      expect(() => chooseSettings({ flags, env: {} })).toThrow('AZURE_ENVIRONMENT_FILEPATH');
      expect(needsCloudFile({ flags, env: {} })).toBe(true);
      expect(needsCloudFile({ flags: base, env: {} })).toBe(false);
      expect(needsCloudFile({ flags: base, env: { AZURE_ENVIRONMENT: 'AzureChinaCloud' } })).toBe(false);
    });
  });

  it("use another endpoint if it is set, with the cloud's token audience", () => {
    expect(
      chooseSettings({
        flags: { ...base, azureEndpoint: 'https://127.0.0.1:8443/' },
        env: { AZURE_AUTHORITY_HOST: 'https://127.0.0.1:8443' },
      }),
    ).toMatchObject({
      endpoint: 'https://127.0.0.1:8443',
      authorityHost: 'https://127.0.0.1:8443',
      audience: 'https://management.azure.com',
    });
  });

  it('report all problems at once', () => {
    expect(() => chooseSettings({ flags: { cloud: 'Elsewhere' }, env: {} })).toThrow(
      /no subscription.*no resource group.*'Elsewhere' is unknown/,
    );
  });

  it('refuse an endpoint without TLS', () => {
    expect(() => chooseSettings({ flags: { ...base, azureEndpoint: 'http://127.0.0.1' }, env: {} })).toThrow(
      /not an https address/,
    );
  });

  it('record where an address was set, so that an error can name the setting', () => {
    const flags = { ...base };
    const env = { HEADSTART_AZURE_ENDPOINT: 'https://e', AZURE_AUTHORITY_HOST: 'https://l' };
    expect(chooseSettings({ flags, env })).toMatchObject({
      endpointFrom: 'HEADSTART_AZURE_ENDPOINT',
      authorityHostFrom: 'AZURE_AUTHORITY_HOST',
    });
    expect(chooseSettings({ flags: { ...base, azureEndpoint: 'https://f' }, env }).endpointFrom).toBe(
      '--azure-endpoint',
    );
    expect(chooseSettings({ flags, env: {} })).not.toHaveProperty('endpointFrom');
  });

  it.each(['http://login', 'login.example'])(
    'refuse a login service at %s, for which the SDK would throw a stack trace',
    (host) => {
      expect(() => chooseSettings({ flags: base, env: { AZURE_AUTHORITY_HOST: host } })).toThrow(
        /AZURE_AUTHORITY_HOST/,
      );
    },
  );

  it.each(['127.0.0.1:3128', 'localhost:3128', 'nonsense'])(
    'refuse the proxy %s, for which the SDK would throw a stack trace',
    (proxy) => {
      for (const name of ['HTTPS_PROXY', 'https_proxy', 'ALL_PROXY', 'http_proxy'])
        expect(() => chooseSettings({ flags: base, env: { [name]: proxy } })).toThrow(
          new RegExp(`${name} is not a URL`),
        );
    },
  );

  it('accept a proxy with a password, and hide the password when the proxy is invalid', () => {
    expect(chooseSettings({ flags: base, env: { HTTPS_PROXY: 'http://u:p@h:1' } }).subscriptionId).toBe('s');
    expect(() => chooseSettings({ flags: base, env: { HTTPS_PROXY: 'u:hunter2@h' } })).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining('hunter2') }),
    );
  });
});
