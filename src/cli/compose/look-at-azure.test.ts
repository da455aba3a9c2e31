import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { lookAtAzure } from './look-at-azure.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'headstart-azure-'));
  mkdirSync(join(home, 'bin'));
  mkdirSync(join(home, '.azure'));
});
afterEach(() => rmSync(home, { recursive: true }));

const look = (env: Record<string, string> = {}) =>
  lookAtAzure({ env: { HOME: home, PATH: join(home, 'bin'), ...env } });
const install = (program: string) => writeFileSync(join(home, 'bin', program), '', { mode: 0o755 });
const profile = (text: string) => writeFileSync(join(home, '.azure/azureProfile.json'), text);

const PRINCIPAL = { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c', AZURE_CLIENT_SECRET: 's3cret' };

describe('the settings', () => {
  it('name the subscription and the group, or what is missing', async () => {
    const env = { AZURE_SUBSCRIPTION_ID: 'sub', AZURE_RESOURCE_GROUP: 'group' };
    expect((await look(env)).settings).toEqual({
      isThere: true,
      detail: 'subscription sub, resource group group; not called',
    });
    expect((await look()).settings).toMatchObject({
      isThere: false,
      detail: expect.stringContaining('no subscription'),
      fix: expect.stringContaining('AZURE_SUBSCRIPTION_ID'),
    });
  });
});

describe('the login', () => {
  it('of a service principal is named without its secret', async () => {
    const { login } = await look(PRINCIPAL);
    expect(login).toEqual({ isThere: true, detail: 'service-principal (AZURE_CLIENT_SECRET); not called' });
  });

  it('of a workload needs its token file', async () => {
    const env = { AZURE_TENANT_ID: 't', AZURE_CLIENT_ID: 'c', AZURE_FEDERATED_TOKEN_FILE: join(home, 'token') };
    expect((await look(env)).login).toMatchObject({ isThere: false, detail: expect.stringContaining('token') });
    writeFileSync(join(home, 'token'), 's3cret');
    expect((await look(env)).login).toMatchObject({ isThere: true });
  });

  it('of az needs the program and a subscription in its profile', async () => {
    expect((await look()).login).toMatchObject({ isThere: false, fix: 'install the Azure CLI, then az login' });
    install('az');
    expect((await look()).login).toMatchObject({ isThere: false, fix: 'az login' });
    for (const text of ['', '{"subscriptions": []}', 'null']) {
      profile(text);
      expect((await look()).login, text).toMatchObject({ isThere: false });
    }
    profile('\uFEFF{"subscriptions": [{"id": "s", "user": {"name": "ada"}}]}');
    expect((await look()).login).toMatchObject({ isThere: true, detail: expect.stringContaining('az') });
  });

  it('of another program is not known', async () => {
    install('azd');
    expect((await look()).login).toMatchObject({ isThere: true, detail: expect.stringContaining('not known') });
  });
});
