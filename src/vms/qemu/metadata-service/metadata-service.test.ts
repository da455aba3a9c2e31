import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkInstance } from './instance-file.ts';
import { answerMetadata } from './metadata-service.ts';
import { anInstance, aRequest } from './testing.ts';

const NOW = Date.UTC(2026, 10, 15, 3, 4, 5);
const ask = (target: string, more = {}, instance = anInstance) => answerMetadata(aRequest(target, more), instance, NOW);
const read = (target: string, instance = anInstance) => JSON.parse(ask(target, {}, instance).body);
const LATEST = 'api-version=2025-04-07';

describe('a part of the document', () => {
  const leaf = `/metadata/instance/compute/userData?${LATEST}`;

  it('that is a single value requires format=text', () => {
    expect(ask(`${leaf}&format=text`)).toMatchObject({ status: 200, body: anInstance.userData });
    expect(ask(leaf).status).toBe(400);
    expect(ask(`${leaf}&format=json`).status).toBe(400);
  });

  it('is an empty text for missing user data', () => {
    const { userData, ...without } = anInstance;
    expect(ask(`${leaf}&format=text`, {}, without)).toMatchObject({ status: 200, body: '' });
  });

  it('is a list of names as text for an object', () => {
    expect(ask(`/metadata/instance?${LATEST}&format=text`).body).toBe('compute/\nnetwork/');
    expect(ask(`/metadata/instance/network/interface/0?${LATEST}&format=text`).body).toBe('ipv4/\nipv6/\nmacAddress');
  });

  it("is found by index, and only among the document's own keys", () => {
    const address = '/metadata/instance/network/interface/0/ipv4/ipAddress/0/privateIpAddress';
    expect(ask(`${address}?${LATEST}&format=text`).body).toBe('168.0.0.15');
    for (const path of ['nothing', 'constructor', '__proto__', 'network/interface/1', 'network/interface/length']) {
      expect(ask(`/metadata/instance/${path}?${LATEST}`).status).toBe(404);
    }
  });

  it('is available as text for every path', () => {
    const walk = (node: unknown, path: string): void => {
      const { status, body } = ask(`/metadata/instance${path}?${LATEST}&format=text`);
      expect(status).toBe(200);
      if (typeof node === 'string') expect(body).toBe(node);
      else for (const [key, value] of Object.entries(node as object)) walk(value, `${path}/${key}`);
    };
    walk(read(`/metadata/instance?${LATEST}`), '');
  });
});

describe('the metadata service', () => {
  it.each([
    ['no Metadata header', '/metadata/instance?api-version=2021-08-01', { headers: {} }, 400],
    ['Metadata: false', '/metadata/instance?api-version=2021-08-01', { headers: { metadata: 'false' } }, 400],
    ['no Metadata header on a path without api-version', '/metadata/versions', { headers: {} }, 400],
    [
      'a request through a proxy',
      '/metadata/instance?api-version=2021-08-01',
      { headers: { metadata: 'true', 'x-forwarded-for': '10.0.0.1' } },
      400,
    ],
    ['a parameter twice', '/metadata/instance?api-version=2021-08-01&api-version=2021-08-01', {}, 400],
    ['another format', '/metadata/instance?api-version=2021-08-01&format=xml', {}, 400],
    ['another verb', '/metadata/instance?api-version=2021-08-01', { method: 'PUT' }, 405],
    ['an unknown path', '/metadata/loadbalancer?api-version=2021-08-01', {}, 404],
    ['no path', '/', {}, 404],
    ['an unknown document', '/metadata/attested/nothing?api-version=2021-08-01', {}, 404],
    ['a nonce with quotes', '/metadata/attested/document?api-version=2021-08-01&nonce=%22', {}, 400],
  ])('refuses %s', (_, target, more, status) => {
    const response = ask(target, more);
    expect(response.status).toBe(status);
    expect(JSON.parse(response.body).error).toEqual(expect.any(String));
  });

  it('accepts the header in any case', () => {
    expect(ask('/metadata/versions', { headers: { metadata: 'True' } }).status).toBe(200);
  });

  it.each(['', '?api-version=1999-01-01', '?api-version='])('lists the newest versions for %j', (query) => {
    const { status, body } = ask(`/metadata/instance${query}`);
    expect(status).toBe(400);
    expect(JSON.parse(body)['newest-versions']).toEqual(['2025-04-07', '2024-07-17', '2024-03-15']);
  });

  it('lists its versions without an api-version', () => {
    expect(read('/metadata/versions').apiVersions).toContain('2021-01-01');
  });

  it('has no events, in the versions of scheduled events', () => {
    expect(read('/metadata/scheduledevents?api-version=2020-07-01')).toEqual({ DocumentIncarnation: 1, Events: [] });
    expect(ask(`/metadata/scheduledevents?${LATEST}`).status).toBe(400);
    expect(ask('/metadata/scheduledevents?api-version=2020-07-01', { method: 'POST' }).status).toBe(400);
  });

  it('has no identity and issues no token', () => {
    const { status, body } = ask('/metadata/identity/oauth2/token?api-version=2018-02-01&resource=x');
    expect(status).toBe(400);
    expect(JSON.parse(body)).toEqual({ error: 'invalid_request', error_description: 'Identity not found' });
  });

  it('attests with a document that is marked as a stand-in', () => {
    const { encoding, signature } = read(`/metadata/attested/document?${LATEST}&nonce=1234567890`);
    expect(encoding).toBe('pkcs7');
    const document = JSON.parse(Buffer.from(signature, 'base64').toString());
    expect(document).toMatchObject({ nonce: '1234567890', vmId: anInstance.vmId });
    expect(document.timeStamp).toEqual({ createdOn: '11/15/26 03:04:05 -0000', expiresOn: '11/15/26 09:04:05 -0000' });
    expect(document.standIn).toContain('not signed');
  });

  it('responds with JSON or text to any request', () => {
    fc.assert(
      fc.property(
        fc.webPath(),
        fc.webQueryParameters(),
        fc.constantFrom('GET', 'POST', 'HEAD'),
        (path, query, method) => {
          for (const target of [`${path || '/'}?${query}`, `/metadata/instance${path}?${LATEST}&${query}`]) {
            const { status, headers, body } = ask(target, { method });
            expect([200, 400, 404, 405]).toContain(status);
            if (headers?.['Content-Type']?.startsWith('application/json')) JSON.parse(body);
          }
        },
      ),
    );
  });
});

describe('hostile values', () => {
  it('reach the guest unchanged', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })), (tags) => {
        const instance = checkInstance({ ...anInstance, tags: { ...tags } }, 'test');
        const { tagsList } = read(`/metadata/instance/compute?${LATEST}`, instance);
        expect(
          Object.fromEntries(tagsList.map((tag: { name: string; value: string }) => [tag.name, tag.value])),
        ).toEqual({ ...instance.tags });
      }),
    );
  });
});
