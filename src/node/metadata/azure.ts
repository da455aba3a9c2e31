// node/metadata/azure.ts: the document in the userData of an Azure instance, and what Azure says of that instance: all in
// one answer that fails rather than have holes.
import type { Clock } from '../../base/clock.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { InstanceFacts } from '../observe/facts.ts';
import { type MetadataResponse, requestMetadata, statusFailure } from './http.ts';
import { type FetchedMetadata, type FetchOptions, MetadataFailure, type MetadataSource } from './source.ts';

export interface AzureSourceOptions {
  clock: Clock;
  /** A fresh UUID for every request, by which the platform's own logs can be searched. */
  newRequestId(): string;
  /** `http://169.254.169.254` unless a test stands in for it. */
  url?: string;
}

/** With `extended`, data that the service cannot get is an error instead of a hole in a good answer. */
const NEWEST = { 'api-version': '2021-08-01', extended: 'true' };
/** The first version that knows userData. */
const OLDEST = { 'api-version': '2021-01-01' };

export function azureSource({
  clock,
  newRequestId,
  url = 'http://169.254.169.254',
}: AzureSourceOptions): MetadataSource {
  let version: Readonly<Record<string, string>> = NEWEST;

  const askVersion = (query: Readonly<Record<string, string>>, options: FetchOptions) =>
    requestMetadata({
      url: new URL(`/metadata/instance?${new URLSearchParams(query)}`, url),
      headers: { Metadata: 'true', 'x-ms-client-request-id': newRequestId() },
      ...options,
    });

  return {
    name: 'Azure userData',
    isFixed: false,
    async fetch(options) {
      let answer = await askVersion(version, options);
      if (answer.status === 400 && version === NEWEST) {
        answer = await askVersion(OLDEST, options);
        if (answer.status === 200) version = OLDEST;
      }
      if (answer.status === 400) {
        throw new MetadataFailure('metadata/rejected', 'the metadata service answers 400', { isFinal: true });
      }
      if (answer.status !== 200) throw statusFailure(answer, clock.nowMs());
      return readAnswer(answer);
    },
  };
}

function readAnswer({ body }: MetadataResponse): FetchedMetadata {
  if (body.length === 0) return { document: undefined, instance: { platform: 'azure', addresses: [], tags: {} } };
  const { compute, network } = parseInstance(body);
  return { document: decodeUserData(compute.userData), instance: instanceOf(compute, network) };
}

function parseInstance(body: Buffer): { compute: JsonObject; network: Json | undefined } {
  try {
    const instance = JSON.parse(body.toString('utf8')) as Json;
    if (isObject(instance) && isObject(instance.compute))
      return { compute: instance.compute, network: instance.network };
  } catch {
    // What it says quotes the answer.
  }
  throw new MetadataFailure('metadata/bad-answer', 'the answer is not a whole instance document');
}

/** Some tools wrap base64 into lines. */
function decodeUserData(userData: Json | undefined): Uint8Array | undefined {
  if (userData === undefined || userData === null) return undefined;
  const text = typeof userData === 'string' ? userData.replace(/\s+/g, '') : '-';
  if (text === '') return undefined;
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text) || text.length % 4 !== 0) {
    throw new MetadataFailure('metadata/bad-answer', 'userData is not base64');
  }
  return Buffer.from(text, 'base64');
}

function instanceOf(compute: JsonObject, network: Json | undefined): InstanceFacts {
  const text = (value: Json | undefined) => (typeof value === 'string' && value !== '' ? value : undefined);
  const resourceId = text(compute.resourceId);
  const region = text(compute.location);
  const zone = text(compute.zone);
  return {
    platform: 'azure',
    vmId: text(compute.vmId)?.toLowerCase(),
    computerName:
      (isObject(compute.osProfile) ? text(compute.osProfile.computerName) : undefined) ?? text(compute.name),
    providerId: resourceId && `azure://${resourceId}`,
    region,
    zone: zone && region && `${region}-${zone}`,
    size: text(compute.vmSize),
    addresses: addressesOf(network),
    tags: tagsOf(compute.tagsList),
  };
}

function addressesOf(network: Json | undefined): string[] {
  const first = isObject(network) && Array.isArray(network.interface) ? network.interface[0] : undefined;
  return ['ipv4', 'ipv6'].flatMap((family) => {
    const addresses = isObject(first) && isObject(first[family]) ? first[family].ipAddress : undefined;
    const found = Array.isArray(addresses) ? addresses.filter(isObject) : [];
    return found.flatMap(({ privateIpAddress }) => (typeof privateIpAddress === 'string' ? [privateIpAddress] : []));
  });
}

function tagsOf(list: Json | undefined): Record<string, string> {
  const entries = (Array.isArray(list) ? list : []).filter(isObject);
  return Object.fromEntries(entries.map(({ name, value }) => [String(name), String(value ?? '')]));
}
