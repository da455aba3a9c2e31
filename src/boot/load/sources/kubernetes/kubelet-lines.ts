// boot/load/sources/kubernetes/kubelet-lines.ts: which steps did kubelet log from its start to Node Ready, and when?
import { KUBELET_UNIT } from '../../../model/known-units.ts';
import type { HostFacts, Milestone, MilestoneName, Note, Span } from '../../../model/record.ts';
import { parseKlog } from './klog.ts';

type KubeletStep =
  | 'started'
  | 'sync-loop'
  | 'bootstrap-began'
  | 'certificate-issued'
  | 'register-attempt'
  | 'registered'
  | 'ready'
  | 'runtime-not-ready'
  | 'network-not-ready';

export interface KubeletEvent {
  step: KubeletStep;
  node?: string;
  version?: string;
}

export type TimedKubeletEvent = KubeletEvent & { atUs: number };

/** Undefined for the many lines that do not matter here. `message` may start with klog's header. */
export function parseKubeletLine(message: string): KubeletEvent | undefined {
  const line = parseKlog(message) ?? { message, values: new Map<string, string>() };
  const found = STEPS.find(([, pattern]) => pattern.test(line.message));
  if (!found) return undefined;
  const [step] = found;
  // kubelet logs every node event with this message; the event name is a value.
  if (line.message.startsWith('Recording event') && line.values.get('event') !== 'NodeReady') return undefined;
  if (step === 'certificate-issued' && /serving/.test(line.values.get('logger') ?? '')) return undefined;
  if (step === 'runtime-not-ready' && /network/i.test(line.values.get('err') ?? '')) {
    return { step: 'network-not-ready' };
  }
  const node = line.values.get('node') ?? /(?:register|registered) node "?([a-z0-9][\w.-]*)/.exec(line.message)?.[1];
  const version = line.values.get('kubeletVersion') ?? /ersion: "?(v\d[\w.+-]*)/.exec(line.message)?.[1];
  return { step, ...(node !== undefined && { node }), ...(version !== undefined && { version }) };
}

const STEPS: readonly (readonly [KubeletStep, RegExp])[] = [
  ['started', /^(?:Kubelet version|Version: v\d|Starting kubelet$|Started kubelet)/],
  ['sync-loop', /^Starting kubelet main sync loop/],
  ['bootstrap-began', /^Using bootstrap kubeconfig to generate TLS client cert/],
  ['certificate-issued', /^certificate signing request(?: \S+)? is issued/i],
  ['register-attempt', /^Attempting to register node/],
  ['registered', /^(?:Successfully registered node|Node was previously registered|Node \S+ was previously registered)/],
  [
    'ready',
    /^(?:Recording event message for node|Recording NodeReady event message|Fast updating node status as it just became ready)/,
  ],
  ['runtime-not-ready', /^Skipping pod synchronization/i],
  ['network-not-ready', /^Container runtime network not ready/],
];

export interface KubeletFacts {
  spans: Span[];
  milestones: Milestone[];
  notes: Note[];
  host: HostFacts;
}

/** Uses the first occurrence of each step; later ones (restarts, a flapping node) are only counted. */
export function kubeletFacts(events: readonly TimedKubeletEvent[]): KubeletFacts {
  const facts: KubeletFacts = { spans: [], milestones: [], notes: [], host: {} };
  const inOrder = events.toSorted((a, b) => a.atUs - b.atUs);
  const first = new Map<KubeletStep, TimedKubeletEvent>();
  const last = new Map<KubeletStep, TimedKubeletEvent>();
  const counts = new Map<KubeletStep, number>();
  for (const event of inOrder) {
    if (!first.has(event.step)) first.set(event.step, event);
    counts.set(event.step, (counts.get(event.step) ?? 0) + 1);
    // A wait after the node was Ready is not part of the boot.
    if (!first.has('ready')) last.set(event.step, event);
    if (event.node !== undefined) facts.host.nodeName ??= event.node;
    if (event.version !== undefined) facts.host.kubeletVersion ??= event.version;
  }
  const at = (step: KubeletStep) => first.get(step)?.atUs;

  const reach = (name: MilestoneName, step: KubeletStep) => {
    const atUs = at(step);
    if (atUs !== undefined) facts.milestones.push({ name, atUs, source: 'kubelet' });
  };
  reach('kubelet-started', 'started');
  reach('node-registered', 'registered');
  reach('node-ready', 'ready');

  const between = (id: string, name: string, startUs?: number, endUs?: number, more: Partial<Span> = {}) => {
    if (startUs === undefined || endUs === undefined || endUs <= startUs) return;
    facts.spans.push({
      id: `kubelet:${id}`,
      name,
      source: 'kubelet',
      unit: KUBELET_UNIT,
      startUs,
      endUs,
      ...more,
    });
  };
  const attempts = counts.get('register-attempt') ?? 0;
  between('start', 'kubelet start to first registration', at('started'), at('register-attempt') ?? at('registered'));
  between('tls-bootstrap', 'client certificate', at('bootstrap-began'), at('certificate-issued'), {
    wait: 'cluster: until it signs the client certificate',
  });
  between('register', 'register node', at('register-attempt'), at('registered'), {
    ...(attempts > 1 && { detail: `${attempts} attempts` }),
  });
  between('become-ready', 'registered to Ready', at('registered'), at('ready'));
  between('runtime', 'container runtime', at('runtime-not-ready'), last.get('runtime-not-ready')?.atUs, {
    wait: 'container runtime: until it answers',
  });
  between('network', 'container network', at('network-not-ready'), last.get('network-not-ready')?.atUs, {
    wait: 'container network: until a plugin is configured',
  });

  const ready = readyTimes(inOrder);
  if (ready > 1) facts.notes.push(info(`the node became Ready ${ready} times in this boot; the first is used`));
  const starts = inOrder.filter((event) => event.step === 'started' && event.version !== undefined).length;
  if (starts > 1) facts.notes.push(info(`kubelet started ${starts} times in this boot; the first is used`));
  return facts;
}

/** kubelet logs an event and a status update for one change: lines within a second count once. */
function readyTimes(inOrder: readonly TimedKubeletEvent[]): number {
  let count = 0;
  let lastUs = Number.NEGATIVE_INFINITY;
  for (const { step, atUs } of inOrder) {
    if (step !== 'ready') continue;
    if (atUs - lastUs > 1e6) count++;
    lastUs = atUs;
  }
  return count;
}

const info = (text: string): Note => ({ level: 'info', text });
