import { inspect } from 'node:util';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../../base/secret.ts';
import { parseAzureJson } from './azure-json.ts';
import { chooseCredential, createCredential, LOGIN_NAMES } from './credentials.ts';

const canary = 'canary-secret-5d1f';
const azureJson = (fields: object) => parseAzureJson(JSON.stringify(fields), 'azure.json');
const principal = { tenantId: 't', aadClientId: 'c', aadClientSecret: canary };
const federated = { AZURE_FEDERATED_TOKEN_FILE: '/var/run/token', AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'w' };

describe('choosing a credential', () => {
  it.each([
    ['no source: the login on this machine', {}, {}, { kind: 'operator' }],
    [
      'a service principal in azure.json',
      principal,
      {},
      { kind: 'service-principal', clientId: 'c', from: 'azure.json' },
    ],
    [
      'system-assigned identity, older form',
      { aadClientId: 'msi', aadClientSecret: 'msi' },
      {},
      { kind: 'managed-identity', identity: { by: 'system' } },
    ],
    [
      'system-assigned identity, by the flag',
      { ...principal, useManagedIdentityExtension: true },
      {},
      { kind: 'managed-identity', identity: { by: 'system' } },
    ],
    [
      'system-assigned identity, with an empty id and the flag as text',
      { useManagedIdentityExtension: 'true', userAssignedIdentityID: '' },
      {},
      { kind: 'managed-identity', identity: { by: 'system' } },
    ],
    [
      'user-assigned identity by client id',
      { aadClientId: 'MSI', userAssignedIdentityID: 'u' },
      {},
      { kind: 'managed-identity', identity: { by: 'client-id', id: 'u' } },
    ],
    [
      'user-assigned identity by resource id',
      { aadClientId: 'msi', userAssignedIdentityID: '/subscriptions/s/x' },
      {},
      { kind: 'managed-identity', identity: { by: 'resource-id', id: '/subscriptions/s/x' } },
    ],
    [
      'workload identity in the environment, before azure.json',
      principal,
      federated,
      { kind: 'workload-identity', clientId: 'w', tokenFile: '/var/run/token' },
    ],
    [
      'workload identity in azure.json',
      { tenantId: 't', aadClientId: 'c', useFederatedWorkloadIdentityExtension: true, aadFederatedTokenFile: '/token' },
      {},
      { kind: 'workload-identity', clientId: 'c', tokenFile: '/token' },
    ],
    [
      'a service principal in the environment',
      principal,
      { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'e', AZURE_CLIENT_SECRET: canary },
      { kind: 'service-principal', clientId: 'e', from: 'AZURE_CLIENT_SECRET' },
    ],
  ])('%s', (_name, file, env, expected) => {
    expect(chooseCredential({ azureJson: azureJson(file), env, flags: {} })).toMatchObject(expected);
  });

  it('uses the login that --login names', () => {
    const sources = { azureJson: azureJson(principal), env: federated };
    expect(chooseCredential({ ...sources, flags: { login: 'cluster' } }).kind).toBe('service-principal');
    expect(chooseCredential({ ...sources, flags: { login: 'operator' } }).kind).toBe('operator');
    expect(chooseCredential({ ...sources, flags: { login: 'managed-identity' } })).toMatchObject({
      identity: { by: 'client-id', id: 'w' },
    });
    expect(chooseCredential({ ...sources, flags: { login: 'workload-identity' } }).kind).toBe('workload-identity');
  });

  it.each([
    [{ azureJson: azureJson({}), env: {}, flags: { login: 'cluster' } as const }],
    [{ env: {}, flags: { login: 'workload-identity' } as const }],
    [{ azureJson: azureJson({ ...principal, aadClientSecret: '', aadClientCertPath: '/c.pfx' }), env: {}, flags: {} }],
  ])('reports what is missing instead of trying another login', (sources) => {
    expect(() => chooseCredential(sources)).toThrow(expect.objectContaining({ code: 'azure/no-credential' }));
  });

  it('refuses an unknown login and lists the valid ones', () => {
    const sources = { env: federated, flags: { login: 'foo' as never } };
    expect(() => chooseCredential(sources)).toThrow(
      expect.objectContaining({
        code: 'azure/unknown-login',
        exitCode: 2,
        message: expect.stringContaining(LOGIN_NAMES.join(', ')),
      }),
    );
  });

  it('names the setting to check when the library refuses it', async () => {
    const secret = new Secret(canary);
    const from = 'AZURE_CLIENT_SECRET';
    const choice = { kind: 'service-principal', tenantId: 'bad tenant', clientId: 'c', secret, from } as const;
    await expect(createCredential(choice, { authorityHost: 'https://l' })).rejects.toMatchObject({
      code: 'azure/login-failed',
      message: expect.stringContaining('Invalid tenant id'),
      next: expect.stringContaining('AZURE_TENANT_ID'),
    });
  });

  it.each(['service-principal', 'managed-identity', 'workload-identity', 'operator'] as const)(
    'makes a %s credential without requesting a token',
    async (kind) => {
      const secret = new Secret(canary);
      const choices = {
        'service-principal': { kind, tenantId: 'tenant', clientId: 'c', secret, from: '' },
        'managed-identity': { kind, identity: { by: 'client-id', id: 'u' }, from: '' },
        'workload-identity': { kind, tenantId: 'tenant', clientId: 'c', tokenFile: '/none', from: '' },
        operator: { kind, from: '' },
      } as Record<typeof kind, Parameters<typeof createCredential>[0]>;
      const made = await createCredential(choices[kind], { authorityHost: 'https://login.microsoftonline.us' });
      expect(made.getToken).toBeTypeOf('function');
    },
  );
});

describe('secrets', () => {
  it('do not appear however they are printed', () => {
    const choice = chooseCredential({ azureJson: azureJson(principal), env: {}, flags: {} });
    const secret = new Secret(canary);
    const shown = [
      `${secret}`,
      JSON.stringify({ choice, secret }),
      inspect({ choice, secret }, { depth: 9, showHidden: true }),
    ];
    for (const text of shown) expect(text).not.toContain(canary);
    expect(secret.reveal()).toBe(canary);
  });
});
