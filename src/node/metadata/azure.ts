// node/metadata/azure.ts: how are the document in an Azure instance's userData and the facts of that instance read? In one request,
// which fails if Azure has only part of the data.
import type { Clock } from '../../base/clock.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { InstanceFacts } from '../observe/facts.ts';
import { standbyReport } from './azure-standby.ts';
import { type MetadataResponse, requestMetadata, statusFailure } from './http.ts';
import { type FetchedMetadata, type FetchOptions, MetadataFailure, type MetadataSource } from './source.ts';

export interface AzureSourceOptions {
  clock: Clock;
  /** A new UUID for every request, to find the request in the platform's logs. */
  newRequestId(): string;
  /** Default: `http://169.254.169.254`. */
  url?: string;
}

/**
 * With `extended`, the service returns an error if it cannot get some data, instead of leaving it out. This version has
 * `isVmInStandbyPool`: a published answer with that field has fields of 2021-11-15 and none of 2023-11-15.
 */
const NEWEST = { 'api-version': '2023-07-01', extended: 'true' };
/** The first version with userData. */
const OLDEST = { 'api-version': '2021-01-01' };

export function azureSource({
  clock,
  newRequestId,
  url = 'http://169.254.169.254',
}: AzureSourceOptions): MetadataSource {
  let version: Readonly<Record<string, string>> = NEWEST;

  const requestVersion = (query: Readonly<Record<string, string>>, options: FetchOptions) =>
    requestMetadata({
      url: new URL(`/metadata/instance?${new URLSearchParams(query)}`, url),
      headers: { Metadata: 'true', 'x-ms-client-request-id': newRequestId() },
      ...options,
    });

  return {
    name: 'Azure userData',
    isFixed: false,
    async fetch(options) {
      let answer = await requestVersion(version, options);
      if (answer.status === 400 && version === NEWEST) {
        answer = await requestVersion(OLDEST, options);
        if (answer.status === 200) version = OLDEST;
      }
      if (answer.status === 400) {
        throw new MetadataFailure('metadata/rejected', 'the metadata service returned HTTP 400', { isFinal: true });
      }
      if (answer.status !== 200) throw statusFailure(answer, clock.nowMs());
      return readAnswer(answer, { isOld: version === OLDEST });
    },
  };
}

function readAnswer({ body }: MetadataResponse, { isOld }: { isOld: boolean }): FetchedMetadata {
  if (body.length === 0) {
    const instance: InstanceFacts = { platform: 'azure', addresses: [], tags: {} };
    return { document: undefined, instance, standby: { is: 'unknown' } };
  }
  const answer = parseInstance(body);
  const { compute, network } = answer;
  return {
    document: decodeUserData(compute.userData),
    instance: instanceOf(compute, network),
    standby: isOld ? { is: 'unknown' } : standbyReport(answer),
  };
}

interface InstanceAnswer {
  compute: JsonObject;
  network: Json | undefined;
  extended: Json | undefined;
}

function parseInstance(body: Buffer): InstanceAnswer {
  try {
    const instance = JSON.parse(body.toString('utf8')) as Json;
    if (isObject(instance) && isObject(instance.compute))
      return { compute: instance.compute, network: instance.network, extended: instance.extended };
  } catch {
    // The error quotes the response, so drop it.
  }
  throw new MetadataFailure('metadata/bad-answer', 'the response is not a complete instance document');
}

/** Removes white space, because some tools break base64 into lines. */
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
