import type { RequestListener } from 'node:http';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { ec2Source } from './ec2.ts';
import { fetchPersistently } from './retry.ts';
import { withServer } from './testing.ts';

const identity = {
  instanceId: 'i-0123456789abcdef0',
  region: 'eu-west-1',
  availabilityZone: 'eu-west-1b',
  instanceType: 'm7i.large',
  privateIp: '10.0.3.7',
};

/** Behaves like EC2: requires a token, and gives one only for a PUT with a TTL. */
function ec2(userData: Buffer | undefined, options: { tokens?: string[] } = {}) {
  const requests: string[] = [];
  const valid = new Set<string>();
  const tokens = options.tokens ?? ['token-1', 'token-2', 'token-3'];
  const answer: RequestListener = (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.url === '/latest/api/token') {
      const isRight = request.method === 'PUT' && request.headers['x-aws-ec2-metadata-token-ttl-seconds'] === '21600';
      if (!isRight) return response.writeHead(400).end();
      const token = tokens.shift()!;
      valid.add(token);
      return response.end(token);
    }
    if (!valid.has(String(request.headers['x-aws-ec2-metadata-token']))) return response.writeHead(401).end();
    if (request.url === '/latest/dynamic/instance-identity/document') return response.end(JSON.stringify(identity));
    if (request.url === '/latest/meta-data/local-hostname') return response.end('ip-10-0-3-7.ec2.internal\n');
    if (request.url === '/latest/user-data' && userData !== undefined) return response.end(userData);
    return response.writeHead(404).end();
  };
  return { answer, requests, forgetTokens: () => valid.clear() };
}

const once = { timeoutMs: 10_000 };
const newSource = (url: string) => ec2Source({ clock: fakeClock(), url });

describe('user data of EC2', () => {
  it('is read with one session token for all requests', async () => {
    const service = ec2(Buffer.from([0x1f, 0x8b, 0, 255]));
    await withServer(service.answer, async (url) => {
      const source = newSource(url);
      const { document, instance } = await source.fetch(once);
      expect([...document!]).toEqual([0x1f, 0x8b, 0, 255]);
      expect(instance).toEqual({
        platform: 'ec2',
        vmId: 'i-0123456789abcdef0',
        computerName: 'ip-10-0-3-7.ec2.internal',
        providerId: 'aws:///eu-west-1b/i-0123456789abcdef0',
        region: 'eu-west-1',
        zone: 'eu-west-1b',
        size: 'm7i.large',
        addresses: ['10.0.3.7'],
        tags: {},
      });
      await source.fetch(once);
    });
    expect(service.requests.filter((line) => line.startsWith('PUT'))).toHaveLength(1);
  });

  it.each([[undefined], [Buffer.alloc(0)]])('may be missing, which is not a failure: %j', async (userData) => {
    await withServer(ec2(userData).answer, async (url) => {
      expect((await newSource(url).fetch(once)).document).toBeUndefined();
    });
  });

  it('is requested again with a new token when the old one has expired', async () => {
    const service = ec2(Buffer.from('a document'));
    await withServer(service.answer, async (url) => {
      const source = newSource(url);
      await source.fetch(once);
      service.forgetTokens();
      const { document } = await fetchPersistently(source, { clock: fakeClock(), random: () => 0 });
      expect(Buffer.from(document!).toString()).toBe('a document');
    });
    expect(service.requests.filter((line) => line.startsWith('PUT'))).toHaveLength(2);
  });

  it('is not requested with a token that is not a valid header, and no failure shows a token', async () => {
    const service = ec2(Buffer.from('a document'), { tokens: ['secret\r\nX-Evil: 1'] });
    await withServer(service.answer, async (url) => {
      await expect(newSource(url).fetch(once)).rejects.toMatchObject({
        reason: 'metadata/bad-answer',
        message: expect.not.stringContaining('secret'),
      });
    });
  });

  it('is not retried if the service refuses session tokens', async () => {
    await withServer(
      (_, response) => response.writeHead(400).end(),
      async (url) => {
        const failure = { reason: 'metadata/rejected', isFinal: true };
        await expect(newSource(url).fetch(once)).rejects.toMatchObject(failure);
      },
    );
  });
});
