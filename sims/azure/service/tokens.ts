// sims/azure/service/tokens.ts: the login service: tokens for service principals, federated and managed identities, and which tokens are valid.
import { ArmError } from './arm-error.ts';
import type { ArmAnswer, ArmRequest } from './call.ts';

export interface ServicePrincipal {
  clientId: string;
  clientSecret: string;
}

export interface Identity {
  tenantId: string;
  baseUrl: string;
  nowMs: number;
  /** Only this principal can log in with a secret; without it, any secret is accepted. */
  servicePrincipal?: ServicePrincipal;
}

const LIFETIME_S = 3599;

/** Answers requests to the login service; undefined: the request is for the resource manager. */
export function answerLogin(request: ArmRequest, form: URLSearchParams, identity: Identity): ArmAnswer | undefined {
  const { method, url } = request;
  const path = url.pathname.toLowerCase().replace(/\/$/, '');
  if (method === 'GET' && path === '/common/discovery/instance') return { status: 200, body: instanceOf(identity) };
  if (method === 'GET' && path.endsWith('/.well-known/openid-configuration')) {
    return { status: 200, body: openIdOf(identity) };
  }
  if (method === 'POST' && path.endsWith('/oauth2/v2.0/token')) return answerTokenRequest(form, identity);
  if (method === 'GET' && path === '/metadata/identity/oauth2/token') return answerManagedIdentity(request, identity);
  return undefined;
}

/** Tokens of this login service expire with the clock; other tokens, made up by tests, are accepted. */
export function requireToken(authorization: string | undefined, nowMs: number): void {
  const token = /^Bearer (.+)$/.exec(authorization ?? '')?.[1];
  if (token === undefined) {
    throw new ArmError(401, 'AuthenticationFailed', "Authentication failed. The 'Authorization' header is missing.", {
      headers: { 'www-authenticate': 'Bearer error="invalid_token", error_description="The authentication failed."' },
    });
  }
  const expires = expiryOf(token);
  if (expires !== undefined && expires * 1000 <= nowMs) {
    throw new ArmError(401, 'ExpiredAuthenticationToken', 'The access token has expired.', {
      headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
    });
  }
}

function answerTokenRequest(form: URLSearchParams, identity: Identity): ArmAnswer {
  const { servicePrincipal: known } = identity;
  const secret = form.get('client_secret');
  const isFederated = form.get('client_assertion_type') === 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
  if (form.get('grant_type') !== 'client_credentials') return refused(400, 'unsupported_grant_type', 'AADSTS70003');
  if (isFederated && form.get('client_assertion')) return { status: 200, body: tokenBody(identity) };
  if (!secret) return refused(401, 'invalid_client', 'AADSTS7000216');
  if (known && (form.get('client_id') !== known.clientId || secret !== known.clientSecret)) {
    return refused(401, 'invalid_client', 'AADSTS7000215');
  }
  return { status: 200, body: tokenBody(identity) };
}

function refused(status: number, error: string, code: string): ArmAnswer {
  return {
    status,
    body: {
      error,
      error_description: `${code}: the simulated login was refused.`,
      error_codes: [Number(code.slice(6))],
    },
  };
}

function answerManagedIdentity({ headers, url }: ArmRequest, identity: Identity): ArmAnswer {
  if (headers.metadata !== 'true' && headers['x-identity-header'] === undefined) {
    return {
      status: 400,
      body: { error: 'invalid_request', error_description: 'Required metadata header not specified' },
    };
  }
  const expiresOn = Math.floor(identity.nowMs / 1000) + LIFETIME_S;
  return {
    status: 200,
    body: {
      access_token: tokenOf(identity),
      client_id: url.searchParams.get('client_id') ?? '00000000-0000-0000-0000-0000000000c1',
      expires_in: String(LIFETIME_S),
      expires_on: String(expiresOn),
      ext_expires_in: String(LIFETIME_S),
      not_before: String(expiresOn - LIFETIME_S),
      resource: url.searchParams.get('resource') ?? 'https://management.azure.com/',
      token_type: 'Bearer',
    },
  };
}

function tokenBody(identity: Identity) {
  return { token_type: 'Bearer', expires_in: LIFETIME_S, ext_expires_in: LIFETIME_S, access_token: tokenOf(identity) };
}

/** Has the form of a JSON web token; its signature is never checked. */
function tokenOf({ nowMs, tenantId }: Identity): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: 'headstart-azure-simulator', tid: tenantId, exp: Math.floor(nowMs / 1000) + LIFETIME_S };
  return `${part({ alg: 'none', typ: 'JWT' })}.${part(claims)}.simulated`;
}

function expiryOf(token: string): number | undefined {
  const [, claims, signature] = token.split('.');
  if (claims === undefined || signature !== 'simulated') return undefined;
  const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { exp?: number };
  return exp;
}

function instanceOf({ baseUrl, tenantId }: Identity) {
  const { host } = new URL(baseUrl);
  return {
    tenant_discovery_endpoint: `${baseUrl}/${tenantId}/v2.0/.well-known/openid-configuration`,
    'api-version': '1.1',
    metadata: [{ preferred_network: host, preferred_cache: host, aliases: [host] }],
  };
}

function openIdOf({ baseUrl, tenantId }: Identity) {
  const tenant = `${baseUrl}/${tenantId}`;
  return {
    issuer: `${tenant}/v2.0`,
    authorization_endpoint: `${tenant}/oauth2/v2.0/authorize`,
    token_endpoint: `${tenant}/oauth2/v2.0/token`,
    device_authorization_endpoint: `${tenant}/oauth2/v2.0/devicecode`,
    end_session_endpoint: `${tenant}/oauth2/v2.0/logout`,
    jwks_uri: `${tenant}/discovery/v2.0/keys`,
    response_modes_supported: ['query', 'fragment', 'form_post'],
    response_types_supported: ['code', 'id_token', 'token'],
    subject_types_supported: ['pairwise'],
    id_token_signing_alg_values_supported: ['RS256'],
    token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'],
    scopes_supported: ['openid', 'profile', 'offline_access'],
    tenant_region_scope: null,
    cloud_instance_name: new URL(baseUrl).host,
  };
}
