// node/metadata/ec2.ts: how is the document in an EC2 instance's user data read? With a session token, which is a secret.
import type { Clock } from '../../base/clock.ts';
import { Secret } from '../../base/secret.ts';
import { isObject, type Json } from '../../schema/json.ts';
import type { InstanceFacts } from '../observe/facts.ts';
import { type MetadataResponse, requestMetadata, statusFailure } from './http.ts';
import { type FetchOptions, MetadataFailure, type MetadataSource } from './source.ts';

export interface Ec2SourceOptions {
  clock: Clock;
  url?: string;
}

const TOKEN_SECONDS = 21_600;

export function ec2Source({ clock, url = 'http://169.254.169.254' }: Ec2SourceOptions): MetadataSource {
  let token: Secret | undefined;

  async function get(path: string, options: FetchOptions): Promise<MetadataResponse> {
    token ??= await newToken(options);
    const headers = { 'X-aws-ec2-metadata-token': token.reveal() };
    const answer = await requestMetadata({ url: new URL(path, url), headers, ...options });
    if (answer.status !== 401) return answer;
    token = undefined; // expired; the next attempt gets a new one
    throw statusFailure(answer, clock.nowMs());
  }

  async function newToken(options: FetchOptions): Promise<Secret> {
    const headers = { 'X-aws-ec2-metadata-token-ttl-seconds': String(TOKEN_SECONDS) };
    const answer = await requestMetadata({
      url: new URL('/latest/api/token', url),
      method: 'PUT',
      headers,
      ...options,
    });
    const text = answer.body.toString('latin1');
    if (answer.status === 400) {
      throw new MetadataFailure('metadata/rejected', 'the metadata service refused a session token', { isFinal: true });
    }
    if (answer.status !== 200) throw statusFailure(answer, clock.nowMs());
    if (!/^[\x21-\x7e]+$/.test(text)) throw new MetadataFailure('metadata/bad-answer', 'the session token is invalid');
    return new Secret(text);
  }

  return {
    name: 'EC2 user data',
    isFixed: false,
    async fetch(options) {
      const identity = await get('/latest/dynamic/instance-identity/document', options);
      if (identity.status !== 200) throw statusFailure(identity, clock.nowMs());
      const hostName = await get('/latest/meta-data/local-hostname', options);
      const userData = await get('/latest/user-data', options);
      // Here 404 means that the instance has no user data; elsewhere it means that the service is not ready.
      if (userData.status !== 200 && userData.status !== 404) throw statusFailure(userData, clock.nowMs());
      const hasSome = userData.status === 200 && userData.body.length > 0;
      return {
        document: hasSome ? userData.body : undefined,
        instance: instanceOf(
          identity.body,
          hostName.status === 200 ? hostName.body.toString('utf8').trim() : undefined,
        ),
      };
    },
  };
}

function instanceOf(body: Buffer, hostName: string | undefined): InstanceFacts {
  const identity = parseIdentity(body);
  const text = (value: Json | undefined) => (typeof value === 'string' && value !== '' ? value : undefined);
  const [zone, vmId, address] = [text(identity.availabilityZone), text(identity.instanceId), text(identity.privateIp)];
  return {
    platform: 'ec2',
    vmId,
    computerName: hostName,
    providerId: zone && vmId && `aws:///${zone}/${vmId}`,
    region: text(identity.region),
    zone,
    size: text(identity.instanceType),
    addresses: address === undefined ? [] : [address],
    tags: {},
  };
}

function parseIdentity(body: Buffer) {
  try {
    const identity = JSON.parse(body.toString('utf8')) as Json;
    if (isObject(identity)) return identity;
  } catch {
    // The error quotes the response, so drop it.
  }
  throw new MetadataFailure('metadata/bad-answer', 'the response is not an instance identity document');
}
