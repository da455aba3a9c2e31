// boot/load/sources/kubernetes/kubernetes-node.ts: when did a node register and become Ready, according to its Node object (or a list of Nodes)?
import { formatSpan } from '../../../../base/duration.ts';
import { type Evidence, evidence } from '../../../model/evidence.ts';
import type { HostFacts, Milestone, Note, Span } from '../../../model/record.ts';
import { headText, type Input } from '../../input.ts';
import type { EvidenceSource } from '../source.ts';
import {
  asObject,
  conditionOf,
  kubernetesDocuments,
  type ObjectFields,
  objectsIn,
  stampIn,
  textIn,
} from './objects.ts';

export const kubernetesNodeSource = {
  kind: 'kubernetes-node',
  title: 'Kubernetes Node (JSON or YAML)',
  recognise,
  parse,
} satisfies EvidenceSource;

const NODE_KIND = /"?kind"?\s*:\s*"?(?:Node|NodeList|List)\b/;

function recognise(input: Input): number {
  const head = headText(input);
  if (!/"?apiVersion"?\s*:/.test(head) || !NODE_KIND.test(head) || /"?involvedObject"?\s*:/.test(head)) return 0;
  return /"?nodeInfo"?\s*:|"?providerID"?\s*:/.test(head)
    ? 0.95
    : /"?kind"?\s*:\s*"?Node(?:List)?"?\s*[,\n\r}]/.test(head)
      ? 0.8
      : 0;
}

async function parse(input: Input): Promise<Evidence[]> {
  const { documents, notes } = await kubernetesDocuments(input, NODE_KIND);
  const nodes = documents.flatMap((document) => objectsIn(document, 'Node'));
  return nodes.map((node) => {
    const found = nodeEvidence(node, input.name);
    return { ...found, notes: [...found.notes, ...notes] };
  });
}

/** A Ready condition that changed later than this after registration is not the first one of the boot. */
const FIRST_READY_US = 3_600e6;
const ONE_SECOND_US = 1e6;

function nodeEvidence(node: ObjectFields, input: string): Evidence {
  const metadata = asObject(node.metadata);
  const name = textIn(metadata, 'name') ?? 'a node without a name';
  const registeredUs = stampIn(metadata, 'creationTimestamp');
  const ready = conditionOf(node, 'Ready');
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

const CLOUDS: Readonly<Record<string, string>> = { azure: 'azure', aws: 'ec2', gce: 'gce', openstack: 'openstack' };

function hostFactsOf(node: ObjectFields, info: ObjectFields): HostFacts {
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
