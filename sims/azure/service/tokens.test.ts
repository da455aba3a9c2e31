import { describe, expect, it } from 'vitest';
import { stringAt } from './json.ts';
import { answerLogin, type Identity, requireToken } from './tokens.ts';

const NOW_MS = Date.UTC(2026, 10, 17);
const identity: Identity = { tenantId: 't', baseUrl: 'https://127.0.0.1:1', nowMs: NOW_MS };
const known = { ...identity, servicePrincipal: { clientId: 'id', clientSecret: 'secret' } };

function login(method: string, path: string, form: Record<string, string> = {}, who = identity, headers = {}) {
  const request = { method, url: new URL(path, identity.baseUrl), headers, body: {} };
  return answerLogin(request, new URLSearchParams(form), who);
}
const logIn = (form: Record<string, string>, who = identity) =>
  login('POST', '/t/oauth2/v2.0/token', { grant_type: 'client_credentials', ...form }, who);
const JWT = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

describe('the login service', () => {
  it.each<[string, Record<string, string>, Identity, number]>([
    ['any secret where no principal is named', { client_secret: 'x' }, identity, 200],
    ['the secret of the principal', { client_id: 'id', client_secret: 'secret' }, known, 200],
    ['an assertion of a federated identity', { client_assertion_type: JWT, client_assertion: 'x' }, known, 200],
    ['no secret at all', {}, identity, 401],
    ['another secret', { client_id: 'id', client_secret: 'x' }, known, 401],
    ['another principal', { client_id: 'x', client_secret: 'secret' }, known, 401],
    ['another kind of grant', { grant_type: 'password', client_secret: 'x' }, identity, 400],
  ])('answers %s', (_, form, who, status) => {
    const answer = logIn(form, who);
    expect(answer?.status).toBe(status);
    expect(stringAt(answer?.body, 'access_token') !== undefined).toBe(status === 200);
  });

  it('gives a managed identity its token only with the header that keeps forged requests out', () => {
    const path = '/metadata/identity/oauth2/token?resource=https%3A%2F%2Fmanagement.azure.com%2F';
    expect(login('GET', path)?.status).toBe(400);
    expect(login('GET', path, {}, identity, { metadata: 'true' })?.body).toMatchObject({
      resource: 'https://management.azure.com/',
      token_type: 'Bearer',
    });
  });

  it('leaves every other request to the resource manager', () => {
    expect(login('GET', '/subscriptions/s')).toBeUndefined();
    expect(login('GET', '/t/oauth2/v2.0/token')).toBeUndefined();
  });
});

describe('a token', () => {
  const token = stringAt(logIn({ client_secret: 'x' })?.body, 'access_token');
  const use =
    (authorization: string | undefined, nowMs = NOW_MS) =>
    () =>
      requireToken(authorization, nowMs);

  it('of the login service opens the door for an hour', () => {
    expect(use(`Bearer ${token}`)).not.toThrow();
    expect(use(`Bearer ${token}`, NOW_MS + 3_598_000)).not.toThrow();
    expect(use(`Bearer ${token}`, NOW_MS + 3_599_000)).toThrow('has expired');
  });

  it('made up by a test is accepted; a missing one is not', () => {
    expect(use('Bearer test')).not.toThrow();
    expect(use(undefined)).toThrow('is missing');
    expect(use('Basic test')).toThrow('is missing');
  });
});
