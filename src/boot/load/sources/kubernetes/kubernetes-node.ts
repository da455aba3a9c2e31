// boot/load/sources/kubernetes/kubernetes-node.ts: when did a node register and become Ready, according to its Node object (or a list of Nodes)?
import { formatSpan } from '../../../../base/duration.ts';
import { type Evidence, evidence } from '../../../model/evidence.ts';
import type { HostFacts, Milestone, Note, Span } from '../../../model/record.ts';
import { headText, type Input } from '../../input.ts';
import { boundedText } from '../bounded-text.ts';
import { parseIsoStamp } from '../logs/log-stamp.ts';
import type { EvidenceSource } from '../source.ts';

export const kubernetesNodeSource = {
  kind: 'kubernetes-node',
  title: 'Kubernetes Node (JSON or YAML)',
  recognise,
  parse,
} satisfies EvidenceSource;

const NODE_KIND = /"?kind"?\s*:\s*"?(?:Node|NodeList|List)\b/;

function recognise(input: Input): number {
  const head = headText(input);
  if (!/"?apiVersion"?\s*:/.test(head) || !NODE_KIND.test(head)) return 0;
  return /"?nodeInfo"?\s*:|"?providerID"?\s*:/.test(head)
    ? 0.95
    : /"?kind"?\s*:\s*"?Node(?:List)?"?\s*[,\n\r}]/.test(head)
      ? 0.8
      : 0;
}

async function parse(input: Input): Promise<Evidence[]> {
  const { documents, notes } = await documentsOf(input);
  const nodes = documents.flatMap(nodesIn);
  return nodes.map((node) => {
    const found = nodeEvidence(node, input.name);
    return { ...found, notes: [...found.notes, ...notes] };
  });
}

/** Nested aliases could expand a small text into a huge object. */
const MAX_ALIASES = 100;
const MAX_BYTES = 256 << 20;

async function documentsOf(input: Input): Promise<{ documents: unknown[]; notes: Note[] }> {
  const warn = (text: string): Note => ({ level: 'warning', text: `${input.name}: ${text}` });
  const { text, isCut } = boundedText(input, MAX_BYTES);
  if (isCut) return { documents: [], notes: [warn('too large for a list of Nodes')] };
  try {
    return { documents: [JSON.parse(text)], notes: [] };
  } catch {
    // Not JSON, or truncated JSON: the YAML parser reads both as far as possible.
  }
  if (!NODE_KIND.test(text)) return { documents: [], notes: [] };
  if (isTooDeep(text)) return { documents: [], notes: [warn('nested too deeply for a Node')] };
  const { parseAllDocuments } = await import('yaml'); // slow to load, and most inputs are JSON
  const documents: unknown[] = [];
  const notes: Note[] = [];
  try {
    for (const document of parseAllDocuments(text, { logLevel: 'silent', uniqueKeys: false })) {
      const problem = document.errors[0];
      if (problem)
        notes.push(
          warn(
            `line ${problem.linePos?.[0].line ?? 1}: ${problem.message.split('\n')[0]}; only the readable part is used`,
          ),
        );
      try {
        documents.push(document.toJS({ maxAliasCount: MAX_ALIASES }));
      } catch {
        notes.push(warn('skipped a document with too many or unresolved aliases'));
      }
    }
  } catch {
    notes.push(warn('nested too deeply to parse'));
  }
  return { documents, notes };
}

/** The YAML library takes quadratic time in the nesting depth; a Node nests about ten levels. */
const MAX_DEPTH = 500;

function isTooDeep(text: string): boolean {
  if (/^[ ]*(?:[-?:] +){100}/m.test(text)) return true;
  let depth = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    depth = Math.max(0, depth + (bracket === '[' || bracket === '{' ? 1 : -1));
    if (depth > MAX_DEPTH) return true;
  }
  return false;
}

type Fields = Record<string, unknown>;

function nodesIn(document: unknown): Fields[] {
  const object = asObject(document);
  if (object.kind === 'Node') return [object];
  const items = Array.isArray(object.items) ? object.items : [];
  // The items of a NodeList have no kind.
  return items
    .map(asObject)
    .filter((item) => item.kind === 'Node' || (object.kind === 'NodeList' && item.kind === undefined));
}

/** A Ready condition that changed later than this after registration is not the first one of the boot. */
const FIRST_READY_US = 3_600e6;
const ONE_SECOND_US = 1e6;

function nodeEvidence(node: Fields, input: string): Evidence {
  const metadata = asObject(node.metadata);
  const name = textIn(metadata, 'name') ?? 'a node without a name';
  const registeredUs = stampIn(metadata, 'creationTimestamp');
  const ready = readyCondition(node);
  const readyUs = ready && stampIn(ready, 'lastTransitionTime');
  const milestones: Milestone[] = [];
  const spans: Span[] = [];
  const notes: Note[] = [];
  const note = (level: Note['level'], text: string) => notes.push({ level, text: `${input}: ${name}: ${text}` });
  if (registeredUs !== undefined) {
    const detail = 'creation of the Node object, which outlives reboots';
    milestones.push({ name: 'node-registered', atUs: registeredUs, errorUs: ONE_SECOND_US, source: 'cluster', detail });
  }
  if (!ready) {
    note('warning', 'has no Ready condition');
  } else if (ready.status !== 'True') {
    note(
      'warning',
      `is not Ready (status ${String(ready.status).slice(0, 20)}): when it first became Ready is unknown`,
    );
  } else if (readyUs === undefined) {
    note('warning', 'is Ready, but the condition has no lastTransitionTime');
  } else if (registeredUs !== undefined && readyUs - registeredUs > FIRST_READY_US) {
    note(
      'info',
      `last became Ready ${formatSpan(readyUs - registeredUs)} after it was created: this is a later change, not the first one of the boot; ignored`,
    );
  } else {
    milestones.push({
      name: 'node-ready',
      atUs: readyUs,
      errorUs: ONE_SECOND_US,
      source: 'cluster',
      detail: 'last change of the Ready condition',
    });
    if (registeredUs !== undefined && readyUs >= registeredUs) {
      spans.push({
        id: 'cluster:become-ready',
        name: 'registered to Ready',
        source: 'cluster',
        startUs: registeredUs,
        endUs: readyUs,
      });
    }
  }
  const info = asObject(asObject(node.status).nodeInfo);
  const bootId = textIn(info, 'bootID')?.replaceAll('-', '').toLowerCase();
  return evidence({
    kind: 'kubernetes-node',
    input,
    clock: 'wall',
    ...(bootId !== undefined && /^[0-9a-f]{32}$/.test(bootId) && { bootId }),
    host: hostFactsOf(node, info),
    spans,
    milestones,
    notes,
  });
}

function readyCondition(node: Fields): Fields | undefined {
  const { conditions } = asObject(node.status);
  return Array.isArray(conditions)
    ? conditions.map(asObject).find((condition) => condition.type === 'Ready')
    : undefined;
}

const CLOUDS: Readonly<Record<string, string>> = { azure: 'azure', aws: 'ec2', gce: 'gce', openstack: 'openstack' };

function hostFactsOf(node: Fields, info: Fields): HostFacts {
  const addresses = asObject(node.status).addresses;
  const hostname = Array.isArray(addresses)
    ? addresses.map(asObject).find((address) => address.type === 'Hostname')
    : undefined;
  const facts: { [Fact in keyof HostFacts]: string | undefined } = {
    nodeName: textIn(asObject(node.metadata), 'name'),
    hostname: hostname && textIn(hostname, 'address'),
    machineId: textIn(info, 'machineID')?.replaceAll('-', '').toLowerCase(),
    vmId: textIn(info, 'systemUUID')?.toLowerCase(),
    os: textIn(info, 'osImage'),
    kernel: textIn(info, 'kernelVersion'),
    architecture: textIn(info, 'architecture'),
    kubeletVersion: textIn(info, 'kubeletVersion'),
    cloud: CLOUDS[textIn(asObject(node.spec), 'providerID')?.split(':')[0] ?? ''],
  };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

function asObject(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {};
}

function textIn(fields: Fields, key: string): string | undefined {
  const value = fields[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function stampIn(fields: Fields, key: string): number | undefined {
  const value = fields[key];
  return typeof value === 'string' ? parseIsoStamp(value) : undefined;
}
