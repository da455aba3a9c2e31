// vms/qemu/metadata-service/wire-server.ts: what does 168.63.129.16 answer? As much of Azure's wire server as an agent needs to report ready.
import type { HealthReport } from './health.ts';
import type { PlatformRequest, PlatformResponse } from './http.ts';
import type { InstanceMetadata } from './instance-file.ts';

export interface WireResponse {
  response: PlatformResponse;
  /** Must be stored before the response is sent. */
  report?: HealthReport;
}

const VERSIONS = ['2015-04-05', '2012-11-30', '2012-09-15', '2012-05-15', '2011-12-31', '2010-12-15'];

export function answerWire(request: PlatformRequest, instance: InstanceMetadata, nowMs: number): WireResponse {
  const comp = request.query.get('comp');
  const path = request.path.replace(/\/$/, '');
  if (path === '' && comp === 'versions') return { response: get(request, versions()) };
  if (path !== '/machine') return { response: problem(404, 'ResourceNotFound') };
  if (!VERSIONS.includes(request.headers['x-ms-version'] ?? '')) {
    return { response: problem(400, 'MissingOrInvalidRequiredHeader', 'x-ms-version') };
  }
  switch (comp) {
    case 'goalstate':
      return { response: get(request, goalState(instance)) };
    case 'health':
      return request.method === 'POST' ? takeHealth(request.body, instance, nowMs) : { response: wrongVerb('POST') };
    case 'telemetrydata':
      return { response: request.method === 'POST' ? { status: 200, body: '' } : wrongVerb('POST') };
    default:
      return { response: problem(404, 'ResourceNotFound') };
  }
}

/** The goal state never changes here, so neither does its incarnation. */
const INCARNATION = '1';

function goalState({ vmId, name }: InstanceMetadata): string {
  return xml(
    `<GoalState><Version>2012-11-30</Version><Incarnation>${INCARNATION}</Incarnation>`,
    '<Machine><ExpectedState>Started</ExpectedState><StopRolesDeadlineHint>300000</StopRolesDeadlineHint></Machine>',
    `<Container><ContainerId>${escapeXml(vmId)}</ContainerId><RoleInstanceList><RoleInstance>`,
    `<InstanceId>${escapeXml(`${vmId}._${name}`)}</InstanceId><State>Started</State>`,
    '<Configuration></Configuration>',
    '</RoleInstance></RoleInstanceList></Container></GoalState>',
  );
}

function versions(): string {
  const all = VERSIONS.map((version) => `<Version>${version}</Version>`).join('');
  return xml(
    '<Versions><Preferred><Version>2012-11-30</Version></Preferred>',
    `<Supported>${all}</Supported></Versions>`,
  );
}

/** Refuses a report for another container: it comes from a clone that still uses its donor's goal state. */
function takeHealth(body: string, { vmId }: InstanceMetadata, nowMs: number): WireResponse {
  const state = elementOf(body, 'State');
  if (state !== 'Ready' && state !== 'NotReady') return { response: problem(400, 'InvalidXmlNodeValue', 'State') };
  if (elementOf(body, 'GoalStateIncarnation') !== INCARNATION || elementOf(body, 'ContainerId') !== vmId) {
    return { response: problem(410, 'ResourceNotAvailable', 'another goal state') };
  }
  const subStatus = elementOf(body, 'SubStatus');
  const description = elementOf(body, 'Description');
  const report: HealthReport = {
    atMs: nowMs,
    state,
    ...(subStatus !== undefined && { subStatus: subStatus.slice(0, 64) }),
    ...(description !== undefined && { description: description.slice(0, 1024) }),
  };
  return { response: { status: 200, body: '' }, report };
}

/** Enough for the flat documents that agents send; anything else yields undefined. */
function elementOf(text: string, name: string): string | undefined {
  const found = new RegExp(`<${name}>([^<]*)</${name}>`).exec(text)?.[1];
  return found?.replace(/&(lt|gt|quot|apos|amp);/g, (_, entity: string) => ENTITIES[entity] ?? '').trim();
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' };

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function xml(...parts: string[]): string {
  return `<?xml version="1.0" encoding="utf-8"?>${parts.join('')}`;
}

const XML = { 'Content-Type': 'text/xml; charset=utf-8' };

function get({ method }: PlatformRequest, body: string): PlatformResponse {
  return method === 'GET' ? { status: 200, headers: XML, body } : wrongVerb('GET');
}

function problem(status: number, code: string, message = code): PlatformResponse {
  return { status, headers: XML, body: xml(`<Error><Code>${code}</Code><Message>${message}</Message></Error>`) };
}

function wrongVerb(allowed: string): PlatformResponse {
  return { ...problem(405, 'UnsupportedHttpVerb'), headers: { ...XML, Allow: allowed } };
}
