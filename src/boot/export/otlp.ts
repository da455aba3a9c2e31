// boot/export/otlp.ts: a boot as one OpenTelemetry trace, in OTLP's JSON encoding. The same record gives the same bytes.
import { createHash } from 'node:crypto';
import { UserError } from '../../base/errors.ts';
import { everySpan } from '../model/all-spans.ts';
import { milestonesOf } from '../model/milestones.ts';
import { phases } from '../model/phases.ts';
import type { BootRecord, Span } from '../model/record.ts';
import type { ChainLink } from '../questions/chain.ts';
import { type BootPath, pathSegments } from '../questions/path/path-segments.ts';

export interface OtlpTrace {
  resourceSpans: {
    resource: { attributes: Attribute[] };
    scopeSpans: { scope: { name: string }; spans: OtlpSpan[] }[];
  }[];
}

export interface Attribute {
  key: string;
  value: { stringValue: string } | { boolValue: boolean };
}

export interface OtlpSpan {
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  name: string;
  kind: 1;
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Attribute[];
  events?: { timeUnixNano: string; name: string; attributes: Attribute[] }[];
  links?: { traceId: string; spanId: string; attributes: Attribute[] }[];
  status: { code?: 2; message?: string };
}

const SPAN_INTERNAL = 1;
const STATUS_ERROR = 2;

export function otlpTrace(record: BootRecord): OtlpTrace {
  const wallAtZeroUs = wallClockOrThrow(record);
  const traceId = traceIdOf(record);
  const nano = (us: number) => (BigInt(Math.round(wallAtZeroUs + us)) * 1000n).toString();
  const context = { traceId, nano, rootId: spanIdOf(traceId, 'boot') };
  const spans = everySpan(record);
  const path = pathSegments(record);
  const links = linksOf(traceId, path.links.toReversed());
  const inner = [
    ...phases(record).map((phase) => phaseSpan(phase, context)),
    ...withoutLoops(spans).map((span) => innerSpan(span, context, links)),
  ];
  return {
    resourceSpans: [
      {
        resource: { attributes: resourceAttributes(record) },
        scopeSpans: [{ scope: { name: 'headstart' }, spans: [rootSpan(record, path, context), ...inner] }],
      },
    ],
  };
}

interface Context {
  traceId: string;
  rootId: string;
  nano(us: number): string;
}

function wallClockOrThrow({ clock }: BootRecord): number {
  if (clock.wallAtZeroUs !== undefined) return clock.wallAtZeroUs;
  throw new UserError('no source has the wall clock of this boot, and a trace needs wall-clock times', {
    code: 'boot/no-wall-time',
    next: 'add a source with both clocks with -i: the journal (`journalctl -b -o json`) or `systemctl show` of the manager',
  });
}

/** The boot id is 128 random bits, like a trace id. Without a boot id, hash the facts that identify this record. */
function traceIdOf(record: BootRecord): string {
  if (record.bootId !== undefined && /^(?!0{32})[0-9a-f]{32}$/.test(record.bootId)) return record.bootId;
  const { host, clock, sources } = record;
  return hexOf(
    JSON.stringify([host.machineId, host.vmId, host.hostname, host.nodeName, clock, sources.map((s) => s.kind)]),
    32,
  );
}

function spanIdOf(traceId: string, id: string): string {
  return hexOf(`${traceId}/${id}`, 16);
}

function hexOf(text: string, digits: number): string {
  const hex = createHash('sha256').update(text).digest('hex').slice(0, digits);
  return /^0+$/.test(hex) ? `${hex.slice(1)}1` : hex; // all zeros means "invalid" in the protocol
}

/** Until the end of the boot as `timeline` says, normally Node Ready: a later restart of kubelet does not belong to the boot. */
function rootSpan(record: BootRecord, { startUs, endUs, endsAt }: BootPath, context: Context): OtlpSpan {
  const milestones = milestonesOf(record);
  const name = record.host.nodeName ?? record.host.hostname;
  return {
    traceId: context.traceId,
    spanId: context.rootId,
    name: name === undefined ? 'boot' : `boot ${name}`,
    kind: SPAN_INTERNAL,
    startTimeUnixNano: context.nano(startUs),
    endTimeUnixNano: context.nano(endUs),
    attributes: text({
      'headstart.boot.id': record.bootId,
      'headstart.boot.ends_at': endsAt,
      'headstart.clock.zero': record.clock.zero,
    }),
    events: milestones.map((milestone) => ({
      timeUnixNano: context.nano(milestone.atUs),
      name: milestone.name,
      attributes: text({ 'headstart.source': milestone.source, 'headstart.detail': milestone.detail }),
    })),
    status: {},
  };
}

function phaseSpan(
  { name, startUs, endUs }: { name: string; startUs: number; endUs: number },
  context: Context,
): OtlpSpan {
  return {
    traceId: context.traceId,
    spanId: spanIdOf(context.traceId, `phase:${name}`),
    parentSpanId: context.rootId,
    name,
    kind: SPAN_INTERNAL,
    startTimeUnixNano: context.nano(startUs),
    endTimeUnixNano: context.nano(endUs),
    attributes: text({ 'headstart.source': 'phase' }),
    status: {},
  };
}

function innerSpan(span: Span, { traceId, nano, rootId }: Context, links: ReadonlyMap<string, string>): OtlpSpan {
  const waitedFor = links.get(span.id);
  return {
    traceId,
    spanId: spanIdOf(traceId, span.id),
    parentSpanId: span.parent === undefined ? rootId : spanIdOf(traceId, span.parent),
    name: span.name,
    kind: SPAN_INTERNAL,
    startTimeUnixNano: nano(span.startUs),
    endTimeUnixNano: nano(Math.max(span.startUs, span.endUs)),
    attributes: [
      ...text({
        'headstart.source': span.source,
        'headstart.span.id': span.id,
        'headstart.unit': span.unit,
        'headstart.wait': span.wait,
        'headstart.result': span.result,
        'headstart.detail': span.detail,
      }),
      ...(links.has(span.id) ? [{ key: 'headstart.critical', value: { boolValue: true } }] : []),
    ],
    ...(waitedFor && {
      links: [{ traceId, spanId: waitedFor, attributes: text({ 'headstart.link': 'waited-for' }) }],
    }),
    status: span.result === 'fail' ? { code: STATUS_ERROR, message: span.detail ?? `${span.name} failed` } : {},
  };
}

/** For every span on the critical chain, the span it waited for (empty for the first). All ordering edges would be thousands. */
function linksOf(traceId: string, critical: readonly ChainLink[]): Map<string, string> {
  return new Map(
    critical.map((link, i) => {
      const previous = critical[i + 1];
      return [link.id, previous && !previous.id.startsWith('milestone:') ? spanIdOf(traceId, previous.id) : ''];
    }),
  );
}

/** Drops parents that are not in the record or that form a loop, because a trace must be a tree. */
function withoutLoops(spans: readonly Span[]): Span[] {
  const parentOf = new Map(spans.map((span) => [span.id, span.parent]));
  const leadsToRoot = new Set<string>();
  return spans.map((span) => {
    const walked = new Set<string>();
    let id: string | undefined = span.id;
    while (id !== undefined && !leadsToRoot.has(id) && !walked.has(id)) {
      walked.add(id);
      id = parentOf.get(id);
    }
    // A loop: cutting it here also fixes all spans below it.
    if (id !== undefined && walked.has(id)) parentOf.set(id, undefined);
    for (const one of walked) leadsToRoot.add(one);
    const parent = parentOf.get(span.id);
    if (parent !== undefined && parentOf.has(parent)) return span;
    const { parent: _, ...top } = span;
    return top;
  });
}

const CLOUD_PROVIDERS: Readonly<Record<string, string>> = {
  azure: 'azure',
  ec2: 'aws',
  aws: 'aws',
  gce: 'gcp',
  gcp: 'gcp',
};
const ARCHITECTURES: Readonly<Record<string, string>> = { 'x86-64': 'amd64', x86_64: 'amd64', aarch64: 'arm64' };

function resourceAttributes({ host }: BootRecord): Attribute[] {
  const { architecture, cloud } = host;
  return text({
    'service.name': 'headstart.boot',
    'host.id': host.vmId ?? host.machineId,
    'host.name': host.hostname,
    'host.arch': architecture && (ARCHITECTURES[architecture] ?? architecture),
    'os.type': 'linux',
    'os.description': host.os,
    'os.version': host.kernel,
    'k8s.node.name': host.nodeName,
    'cloud.provider': cloud && CLOUD_PROVIDERS[cloud.toLowerCase()],
    'headstart.systemd.version': host.systemdVersion,
    'headstart.cloud-init.version': host.cloudInitVersion,
    'headstart.kubelet.version': host.kubeletVersion,
    'headstart.virtualization': host.virtualization,
  });
}

function text(values: Readonly<Record<string, string | undefined>>): Attribute[] {
  return Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value: { stringValue: value } }],
  );
}
