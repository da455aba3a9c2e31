// vms/azure/connect/credentials.ts: which login does the tool use for Azure? Choosing is pure; making the credential loads the identity library.
import type { TokenCredential } from '@azure/identity';
import { UserError } from '../../../base/errors.ts';
import { Secret } from '../../../base/secret.ts';
import { trace } from '../../../base/trace.ts';
import type { AzureJson } from './azure-json.ts';
import { type LoginNetwork, watchLogin } from './login-network.ts';
import type { AzureSettings } from './settings.ts';
import { azureLoginFailure } from './translate-errors.ts';
import { Unreached } from './unreached.ts';

export type CredentialChoice =
  | { kind: 'service-principal'; tenantId: string; clientId: string; secret: Secret; from: string }
  | { kind: 'managed-identity'; identity: ManagedIdentity; from: string }
  | { kind: 'workload-identity'; tenantId: string; clientId: string; tokenFile: string; from: string }
  /** The login of `az`, `azd` or Azure PowerShell on this machine. */
  | { kind: 'operator'; from: string };

export type ManagedIdentity = { by: 'system' } | { by: 'client-id'; id: string } | { by: 'resource-id'; id: string };

/** Values of `--login`. */
export const LOGIN_NAMES = ['cluster', 'workload-identity', 'managed-identity', 'operator'] as const;

export type LoginName = (typeof LOGIN_NAMES)[number];

export interface AzureCredentialSources {
  azureJson?: AzureJson | undefined;
  env: Readonly<Record<string, string | undefined>>;
  flags: { login?: LoginName };
}

/**
 * Order: a federated token in the environment (set for this process), a service principal in the environment, the
 * cluster's credential in azure.json, the user's login on this machine.
 */
export function chooseCredential({ azureJson, env, flags }: AzureCredentialSources): CredentialChoice {
  switch (flags.login) {
    case 'cluster':
      return fromAzureJson(azureJson, env) ?? unusable('there is no azure.json with credentials');
    case 'workload-identity':
      return fromFederation(azureJson, env) ?? unusable('no federated token (AZURE_FEDERATED_TOKEN_FILE) is set');
    case 'managed-identity':
      return { kind: 'managed-identity', identity: identityOf(env.AZURE_CLIENT_ID), from: '--login managed-identity' };
    case 'operator':
      return { kind: 'operator', from: '--login operator' };
    case undefined:
      return (
        fromFederation(undefined, env) ??
        fromEnvironment(env) ??
        fromAzureJson(azureJson, env) ?? { kind: 'operator', from: 'the login on this machine' }
      );
    default:
      // A caller of the library may pass unchecked input.
      throw new UserError(`unknown login ${JSON.stringify(flags.login)}: expected one of ${LOGIN_NAMES.join(', ')}`, {
        code: 'azure/unknown-login',
        kept: 'Nothing was touched.',
        next: `--login ${LOGIN_NAMES.join(', --login ')}; without it, the first available login is used`,
      });
  }
}

/** The identity library takes as long to load as the SDK, so it is loaded with the first token request. */
export function lazyCredential(...args: Parameters<typeof createCredential>): TokenCredential {
  let made: Promise<TokenCredential> | undefined;
  return {
    getToken: async (scopes, options) => {
      made ??= createCredential(...args);
      return (await made).getToken(scopes, options);
    },
  };
}

type LoginSettings = Pick<AzureSettings, 'authorityHost' | 'authorityHostFrom'>;

/** `caPem`: the only certificate authority to trust (the simulator's). Default: the system's. */
export async function createCredential(
  choice: CredentialChoice,
  settings: LoginSettings,
  caPem?: string,
): Promise<TokenCredential> {
  const network = watchLogin();
  const credential = await makeCredential(choice, settings, network, caPem).catch((error: unknown) => {
    // The library validates its arguments first, for example the tenant id.
    throw azureLoginFailure(withLogin(error, choice), 'cannot log in to Azure');
  });
  return {
    async getToken(scopes, options) {
      network.takeFailure();
      const beganMs = performance.now();
      const traceOutcome = (outcome: string) =>
        trace(
          'azure',
          `login as ${choice.kind} (${choice.from}): ${outcome} in ${Math.round(performance.now() - beganMs)} ms`,
        );
      try {
        const token = await credential.getToken(scopes, options);
        traceOutcome(token ? `a token until ${new Date(token.expiresOnTimestamp).toISOString()}` : 'no token');
        return token;
      } catch (error) {
        traceOutcome('failed');
        throw unreachedBy(choice, settings, network) ?? withLogin(error, choice);
      }
    },
  };
}

/** Not for managed identities: their address exists only in Azure, and the library's own message is better. */
function unreachedBy(
  { kind }: CredentialChoice,
  settings: LoginSettings,
  network: LoginNetwork,
): Unreached | undefined {
  const failure = network.takeFailure();
  if (!failure || kind === 'managed-identity') return undefined;
  return new Unreached({
    service: 'login',
    address: settings.authorityHost,
    setBy: settings.authorityHostFrom,
    failure,
    hasAnswered: network.hasAnswered(),
  });
}

function withLogin(error: unknown, { from, kind }: CredentialChoice): Error {
  const thrown = error instanceof Error ? error : new Error(String(error));
  return Object.assign(thrown, { loginFrom: from, loginKind: kind });
}

async function makeCredential(
  choice: CredentialChoice,
  settings: LoginSettings,
  network: LoginNetwork,
  caPem?: string,
): Promise<TokenCredential> {
  const identity = await import('@azure/identity');
  const watched = { additionalPolicies: [{ policy: network.policy, position: 'perRetry' as const }] };
  // Instance discovery asks the public cloud, which does not have the authorities of sovereign and local clouds.
  const authority = {
    authorityHost: settings.authorityHost,
    disableInstanceDiscovery: true,
    // The library's retries are invisible and would multiply with ours.
    retryOptions: { maxRetries: 0 },
    ...watched,
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
          return new identity.ManagedIdentityCredential(watched);
        case 'client-id':
          return new identity.ManagedIdentityCredential({ clientId: choice.identity.id, ...watched });
        case 'resource-id':
          return new identity.ManagedIdentityCredential({ resourceId: choice.identity.id, ...watched });
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

function fromFederation(
  azureJson: AzureJson | undefined,
  env: AzureCredentialSources['env'],
): CredentialChoice | undefined {
  const tokenFile = env.AZURE_FEDERATED_TOKEN_FILE ?? azureJson?.aadFederatedTokenFile;
  const tenantId = env.AZURE_TENANT_ID ?? azureJson?.tenantId;
  const clientId = env.AZURE_CLIENT_ID ?? azureJson?.aadClientId;
  if (!tokenFile || !tenantId || !clientId) return undefined;
  return { kind: 'workload-identity', tenantId, clientId, tokenFile, from: 'AZURE_FEDERATED_TOKEN_FILE' };
}

function fromEnvironment(env: AzureCredentialSources['env']): CredentialChoice | undefined {
  const { AZURE_TENANT_ID: tenantId, AZURE_CLIENT_ID: clientId, AZURE_CLIENT_SECRET: secret } = env;
  if (!tenantId || !clientId || !secret) return undefined;
  return { kind: 'service-principal', tenantId, clientId, secret: new Secret(secret), from: 'AZURE_CLIENT_SECRET' };
}

function fromAzureJson(json: AzureJson | undefined, env: AzureCredentialSources['env']): CredentialChoice | undefined {
  if (!json) return undefined;
  if (json.useFederatedWorkloadIdentityExtension) {
    const federation = fromFederation(json, env);
    if (federation) return federation;
  }
  // Older files have the client id `msi` instead of the flag.
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

/** A VM may have several identities, so the id selects one; it is a client id or a resource id. */
function identityOf(id: string | undefined): ManagedIdentity {
  if (!id) return { by: 'system' };
  return id.startsWith('/') ? { by: 'resource-id', id } : { by: 'client-id', id };
}

function unusable(why: string): never {
  throw new UserError(`cannot log in to Azure: ${why}`, {
    code: 'azure/no-credential',
    kept: 'Nothing was touched.',
    next: 'log in with `az login`, or choose another login with --login',
  });
}
