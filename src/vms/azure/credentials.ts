// vms/azure/credentials.ts: as whom does the tool speak to Azure? Choosing is pure; making the credential loads the identity library.
import type { TokenCredential } from '@azure/identity';
import { UserError } from '../../base/errors.ts';
import { Secret } from '../../base/secret.ts';
import type { AzureJson } from './azure-json.ts';
import type { AzureSettings } from './settings.ts';

export type CredentialChoice =
  | { kind: 'service-principal'; tenantId: string; clientId: string; secret: Secret; from: string }
  | { kind: 'managed-identity'; identity: ManagedIdentity; from: string }
  | { kind: 'workload-identity'; tenantId: string; clientId: string; tokenFile: string; from: string }
  /** Whoever is logged in on this machine. */
  | { kind: 'operator'; from: string };

export type ManagedIdentity = { by: 'system' } | { by: 'client-id'; id: string } | { by: 'resource-id'; id: string };

export type LoginName = 'cluster' | 'workload-identity' | 'managed-identity' | 'operator';

export interface CredentialSources {
  azureJson?: AzureJson;
  env: Readonly<Record<string, string | undefined>>;
  flags: { login?: LoginName };
}

/**
 * A federated token in the environment was put there for this very process, so it comes first; then a service
 * principal in the environment, then what the cluster itself uses, then the person at the keyboard.
 */
export function chooseCredential({ azureJson, env, flags }: CredentialSources): CredentialChoice {
  switch (flags.login) {
    case 'cluster':
      return fromAzureJson(azureJson, env) ?? unusable('there is no azure.json with a login in it');
    case 'workload-identity':
      return fromFederation(azureJson, env) ?? unusable('no federated token (AZURE_FEDERATED_TOKEN_FILE) is set');
    case 'managed-identity':
      return { kind: 'managed-identity', identity: identityOf(env.AZURE_CLIENT_ID), from: '--login managed-identity' };
    case 'operator':
      return { kind: 'operator', from: '--login operator' };
    default:
      return (
        fromFederation(undefined, env) ??
        fromEnvironment(env) ??
        fromAzureJson(azureJson, env) ?? { kind: 'operator', from: 'the login on this machine' }
      );
  }
}

/** The identity library takes as long to load as the SDK: it is loaded when the first token is asked for. */
export function lazyCredential(...args: Parameters<typeof createCredential>): TokenCredential {
  let made: Promise<TokenCredential> | undefined;
  return {
    getToken: async (scopes, options) => {
      made ??= createCredential(...args);
      return (await made).getToken(scopes, options);
    },
  };
}

/** `caPem`: the certificate authority to trust in place of the usual ones (the simulator's). */
export async function createCredential(
  choice: CredentialChoice,
  settings: Pick<AzureSettings, 'authorityHost'>,
  caPem?: string,
): Promise<TokenCredential> {
  const credential = await makeCredential(choice, settings, caPem);
  return {
    async getToken(scopes, options) {
      try {
        return await credential.getToken(scopes, options);
      } catch (error) {
        throw error instanceof Error ? Object.assign(error, { loginFrom: choice.from }) : error;
      }
    },
  };
}

async function makeCredential(
  choice: CredentialChoice,
  settings: Pick<AzureSettings, 'authorityHost'>,
  caPem?: string,
): Promise<TokenCredential> {
  const identity = await import('@azure/identity');
  // Instance discovery asks the public cloud about the authority, which sovereign and local clouds do not answer to.
  const authority = {
    authorityHost: settings.authorityHost,
    disableInstanceDiscovery: true,
    ...(caPem && { tlsOptions: { ca: caPem } }),
  };
  switch (choice.kind) {
    case 'service-principal':
      return new identity.ClientSecretCredential(choice.tenantId, choice.clientId, choice.secret.reveal(), authority);
    case 'workload-identity':
      return new identity.WorkloadIdentityCredential({
        ...authority,
        tenantId: choice.tenantId,
        clientId: choice.clientId,
        tokenFilePath: choice.tokenFile,
      });
    case 'managed-identity':
      switch (choice.identity.by) {
        case 'system':
          return new identity.ManagedIdentityCredential();
        case 'client-id':
          return new identity.ManagedIdentityCredential({ clientId: choice.identity.id });
        case 'resource-id':
          return new identity.ManagedIdentityCredential({ resourceId: choice.identity.id });
      }
      break;
    case 'operator':
      return new identity.ChainedTokenCredential(
        new identity.AzureCliCredential(),
        new identity.AzureDeveloperCliCredential(),
        new identity.AzurePowerShellCredential(),
      );
  }
}

function fromFederation(azureJson: AzureJson | undefined, env: CredentialSources['env']): CredentialChoice | undefined {
  const tokenFile = env.AZURE_FEDERATED_TOKEN_FILE ?? azureJson?.aadFederatedTokenFile;
  const tenantId = env.AZURE_TENANT_ID ?? azureJson?.tenantId;
  const clientId = env.AZURE_CLIENT_ID ?? azureJson?.aadClientId;
  if (!tokenFile || !tenantId || !clientId) return undefined;
  return { kind: 'workload-identity', tenantId, clientId, tokenFile, from: 'AZURE_FEDERATED_TOKEN_FILE' };
}

function fromEnvironment(env: CredentialSources['env']): CredentialChoice | undefined {
  const { AZURE_TENANT_ID: tenantId, AZURE_CLIENT_ID: clientId, AZURE_CLIENT_SECRET: secret } = env;
  if (!tenantId || !clientId || !secret) return undefined;
  return { kind: 'service-principal', tenantId, clientId, secret: new Secret(secret), from: 'AZURE_CLIENT_SECRET' };
}

function fromAzureJson(json: AzureJson | undefined, env: CredentialSources['env']): CredentialChoice | undefined {
  if (!json) return undefined;
  if (json.useFederatedWorkloadIdentityExtension) {
    const federation = fromFederation(json, env);
    if (federation) return federation;
  }
  // `msi` in place of a client id, and the flag, are two generations of saying the same.
  if (json.useManagedIdentityExtension || json.aadClientId?.toLowerCase() === 'msi')
    return { kind: 'managed-identity', identity: identityOf(json.userAssignedIdentityID), from: 'azure.json' };
  if (json.aadClientId && json.tenantId && json.aadClientSecret)
    return {
      kind: 'service-principal',
      tenantId: json.tenantId,
      clientId: json.aadClientId,
      secret: json.aadClientSecret,
      from: 'azure.json',
    };
  if (json.aadClientCertPath)
    return unusable('azure.json names a certificate (aadClientCertPath), which is not supported');
  return undefined;
}

/** VMs with several identities must be told which one; the file holds its client id or its resource id. */
function identityOf(id: string | undefined): ManagedIdentity {
  if (!id) return { by: 'system' };
  return id.startsWith('/') ? { by: 'resource-id', id } : { by: 'client-id', id };
}

function unusable(why: string): never {
  throw new UserError(`cannot log in to Azure: ${why}`, {
    code: 'azure/no-credential',
    kept: 'Nothing was touched.',
    next: 'log in with `az login`, or choose another way with --login',
  });
}
