// boot/load/sources/kubernetes/node-claim.ts: how long did Karpenter wait for the VM, the registration and the initialization of a node,
// according to its NodeClaim?
import { type Evidence, evidence } from '../../../model/evidence.ts';
import type { Milestone, Note, Span } from '../../../model/record.ts';
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

export const nodeClaimSource = {
  kind: 'node-claim',
  title: 'Karpenter NodeClaim (JSON or YAML)',
  recognise,
  parse,
} satisfies EvidenceSource;

const CLAIM_KIND = /"?kind"?\s*:\s*"?NodeClaim(?:List)?\b/;

function recognise(input: Input): number {
  const head = headText(input);
  return /"?apiVersion"?\s*:\s*"?(?:karpenter\.sh\/|v1\b)/.test(head) && CLAIM_KIND.test(head) ? 0.97 : 0;
}

async function parse(input: Input): Promise<Evidence[]> {
  const { documents, notes } = await kubernetesDocuments(input, CLAIM_KIND);
  return documents
    .flatMap((document) => objectsIn(document, 'NodeClaim'))
    .flatMap((claim) => {
      const found = claimEvidence(claim, input.name);
      return found ? [{ ...found, notes: [...found.notes, ...notes] }] : [];
    });
}

/** In the order in which Karpenter sets them. */
const STEPS = [
  { type: 'Launched', id: 'launch', name: 'NodeClaim created to launched', wait: 'cloud: until it launches the VM' },
  { type: 'Registered', id: 'register', name: 'launched to registered' },
  { type: 'Initialized', id: 'initialize', name: 'registered to initialized' },
] as const;

/** A condition that changed later than this after the step before it did not change for the first time. */
const FIRST_TIME_US = 3_600e6;
const ONE_SECOND_US = 1e6;

function claimEvidence(claim: ObjectFields, input: string): Evidence | undefined {
  const metadata = asObject(claim.metadata);
  const status = asObject(claim.status);
  const name = textIn(metadata, 'name') ?? 'a NodeClaim without a name';
  const createdUs = stampIn(metadata, 'creationTimestamp');
  if (createdUs === undefined) return undefined;
  const spans: Span[] = [];
  const notes: Note[] = [];
  const milestones: Milestone[] = [];
  let fromUs = createdUs;
  for (const { type, id, name: title, ...more } of STEPS) {
    const condition = conditionOf(claim, type);
    const atUs = condition?.status === 'True' ? stampIn(condition, 'lastTransitionTime') : undefined;
    if (atUs === undefined || atUs < fromUs || atUs - fromUs > FIRST_TIME_US) {
      const why = atUs === undefined ? whyNot(condition) : 'its condition changed again later';
      notes.push({ level: 'warning', text: `${input}: ${name}: when it was ${type} is unknown: ${why}` });
      break; // the later steps have no start
    }
    spans.push({ id: `cluster:claim-${id}`, name: title, source: 'cluster', startUs: fromUs, endUs: atUs, ...more });
    if (type === 'Launched') {
      const detail = 'Karpenter saw the launch succeed';
      milestones.push({ name: 'vm-created', atUs, errorUs: ONE_SECOND_US, source: 'cluster', detail });
    }
    fromUs = atUs;
  }
  const nodeName = textIn(status, 'nodeName');
  return evidence({
    kind: 'node-claim',
    input,
    clock: 'wall',
    host: nodeName === undefined ? {} : { nodeName },
    spans,
    milestones,
    notes,
  });
}

function whyNot(condition: ObjectFields | undefined): string {
  if (!condition) return 'it has no such condition';
  if (condition.status === 'True') return 'the condition has no lastTransitionTime';
  const reason = textIn(condition, 'reason');
  const message = textIn(condition, 'message');
  return [`status ${String(condition.status).slice(0, 20)}`, reason, message?.slice(0, 200)].filter(Boolean).join(', ');
}
