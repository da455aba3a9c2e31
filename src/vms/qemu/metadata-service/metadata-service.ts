// vms/qemu/metadata-service/metadata-service.ts: what does 169.254.169.254 answer? The rules of Azure's instance metadata service.
import { EVENT_VERSIONS, VERSIONS } from './api-versions.ts';
import type { PlatformRequest, PlatformResponse } from './http.ts';
import { instanceDocument, type MetadataValue } from './instance-document.ts';
import type { InstanceMetadata } from './instance-file.ts';

export function answerMetadata(request: PlatformRequest, instance: InstanceMetadata, nowMs: number): PlatformResponse {
  const [root, category = '', ...path] = request.path.split('/').filter(Boolean);
  const { headers, query, method } = request;
  if (root !== 'metadata' || !CATEGORIES.has(category)) return problem(404, 'Not found');
  if (headers['x-forwarded-for'] !== undefined) return problem(400, 'Bad request. X-Forwarded-For is not allowed');
  if (headers.metadata?.toLowerCase() !== 'true') {
    return problem(400, 'Bad request. Required metadata header not specified');
  }
  if (method !== 'GET' && !(method === 'POST' && category === 'scheduledevents')) {
    return problem(405, `Method not allowed. path = '${request.path}', method = '${method}'`, { Allow: 'GET' });
  }
  const names = [...query.keys()];
  if (new Set(names).size < names.length) return problem(400, 'Bad request. A query parameter is repeated');
  if (category === 'versions') return json(200, { apiVersions: [...VERSIONS] });

  const known = category === 'scheduledevents' ? EVENT_VERSIONS : VERSIONS;
  const apiVersion = query.get('api-version') ?? '';
  if (!known.includes(apiVersion)) return badVersion(known);
  switch (category) {
    case 'instance':
      return answerInstance(request, { path, apiVersion }, instance);
    case 'attested':
      return path.join('/') === 'document' ? attest(query, instance, nowMs) : problem(404, 'Not found');
    case 'scheduledevents':
      return method === 'POST'
        ? problem(400, 'Bad request. There is no such event')
        : json(200, { DocumentIncarnation: 1, Events: [] });
    default: // identity: the response for a VM without an identity
      return json(400, { error: 'invalid_request', error_description: 'Identity not found' });
  }
}

const CATEGORIES = new Set(['attested', 'identity', 'instance', 'scheduledevents', 'versions']);

function answerInstance(
  { query }: PlatformRequest,
  { path, apiVersion }: { path: string[]; apiVersion: string },
  instance: InstanceMetadata,
): PlatformResponse {
  const format = query.get('format') ?? 'json';
  if (format !== 'json' && format !== 'text') return problem(400, `Bad request. There is no format '${format}'`);
  let found: MetadataValue | undefined = instanceDocument(instance, {
    apiVersion,
    isExtended: query.get('extended') === 'true',
  });
  for (const key of path) found = childOf(found, key);
  if (found === undefined) return problem(404, 'Not found');
  if (format === 'text') return text(typeof found === 'string' ? found : listingOf(found));
  if (typeof found === 'string') return problem(400, 'Bad request. A single value requires format=text');
  return json(200, found);
}

/** Own keys only: `/instance/compute/constructor` must not be found. */
function childOf(node: MetadataValue | undefined, key: string): MetadataValue | undefined {
  if (node === undefined || typeof node === 'string' || !Object.hasOwn(node, key) || key === 'length') return undefined;
  return (node as Readonly<Record<string, MetadataValue>>)[key];
}

function listingOf(node: Exclude<MetadataValue, string>): string {
  return Object.entries(node)
    .map(([key, value]) => (typeof value === 'string' ? key : `${key}/`))
    .join('\n');
}

/**
 * A stand-in: the fields of Azure's document instead of its PKCS #7 envelope, without a signature. Verification must fail.
 */
function attest(query: URLSearchParams, instance: InstanceMetadata, nowMs: number): PlatformResponse {
  const nonce = query.get('nonce') ?? String(nowMs).slice(0, 10);
  if (!/^[A-Za-z0-9-]{1,32}$/.test(nonce))
    return problem(400, 'Bad request. The nonce must be 1 to 32 letters, digits and dashes');
  const document = {
    standIn: 'made by headstart on this machine; not signed',
    nonce,
    plan: { name: '', product: '', publisher: '' },
    sku: 'sku' in instance.image ? instance.image.sku : '',
    subscriptionId: instance.subscriptionId,
    timeStamp: { createdOn: attestedTime(nowMs), expiresOn: attestedTime(nowMs + 6 * 3600 * 1000) },
    vmId: instance.vmId,
  };
  return json(200, { encoding: 'pkcs7', signature: Buffer.from(JSON.stringify(document)).toString('base64') });
}

/** `11/28/26 00:16:17 -0000`. */
function attestedTime(ms: number): string {
  const [, year, month, day, time] = /^\d\d(\d\d)-(\d\d)-(\d\d)T([\d:]{8})/.exec(new Date(ms).toISOString()) ?? [];
  return `${month}/${day}/${year} ${time} -0000`;
}

function badVersion(known: readonly string[]): PlatformResponse {
  return json(400, {
    error:
      'Bad request. api-version is invalid or was not specified in the request. For more information refer to aka.ms/azureimds',
    'newest-versions': known.toReversed().slice(0, 3),
  });
}

function problem(status: number, error: string, headers: Record<string, string> = {}): PlatformResponse {
  const response = json(status, { error });
  return { ...response, headers: { ...response.headers, ...headers } };
}

function json(status: number, body: object): PlatformResponse {
  return {
    status,
    headers: { 'Content-Type': 'application/json; charset=utf-8' },
    body: JSON.stringify(body),
  };
}

function text(body: string): PlatformResponse {
  return { status: 200, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body };
}
