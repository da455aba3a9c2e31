// boot/model/joining-spans.ts: kubelet and the cluster both report how the node joined; which spans and milestones does the record keep?
import type { Milestone, Span } from './record.ts';

/** A watch is precise to a few milliseconds; the stamps in a Node object are whole seconds. */
const WATCHED_US = 100_000;

/** Observed by a watch on the cluster. Users wait until the cluster sees the node as Ready, so this instant wins over kubelet's. */
export function isWatched({ source, errorUs = 0 }: Milestone): boolean {
  return source === 'cluster' && errorUs < WATCHED_US;
}

/** One instant per name: the one a watch on the cluster observed, else the most precise one, else the most trusted source's. */
export function mergeMilestones(milestones: readonly Milestone[]): Milestone[] {
  const best = new Map<string, Milestone>();
  const roughUs = (milestone: Milestone) => (isWatched(milestone) ? -1 : (milestone.errorUs ?? 0));
  for (const milestone of milestones) {
    const known = best.get(milestone.name);
    if (!known || roughUs(milestone) < roughUs(known)) best.set(milestone.name, milestone);
  }
  return [...best.values()].sort((a, b) => a.atUs - b.atUs);
}

/** `milestones`: those chosen for the record. `kubeletUpUs`: when kubelet's unit first became active in this boot. */
export function mergeJoinSpans(
  spans: readonly Span[],
  milestones: readonly Milestone[],
  kubeletUpUs: number | undefined,
): Span[] {
  const has = (id: string) => spans.some((span) => span.id === id);
  const watched = (name: Milestone['name']) => milestones.find((one) => one.name === name && isWatched(one))?.atUs;
  // Kubelet does not round to seconds, so its span is better than a Node's stamps. A watch is precise too, and ends at the milestone.
  const spare =
    has('kubelet:become-ready') && has('cluster:become-ready')
      ? `${watched('node-ready') === undefined ? 'cluster' : 'kubelet'}:become-ready`
      : undefined;
  const registeredUs = watched('node-registered');
  const hasBoth = has('kubelet:tls-bootstrap') && has('cluster:certificate');
  return [...spans, ...loadSpan(spans, kubeletUpUs)]
    .filter((span) => span.id !== spare)
    .map((span) => {
      if (span.id === 'kubelet:register') return endedAt(span, registeredUs);
      if (hasBoth && span.id === 'kubelet:tls-bootstrap') return asWork(span, spans);
      return hasBoth && span.id === 'cluster:certificate' ? { ...span, parent: 'kubelet:tls-bootstrap' } : span;
    });
}

/** For systemd, kubelet is active once its process exists. Until its first log line, the large binary is still read from disk. */
function loadSpan(spans: readonly Span[], upUs: number | undefined): Span[] {
  const start = spans.find(({ id }) => id === 'kubelet:start');
  if (!start || upUs === undefined || upUs >= start.startUs || spans.some(({ id }) => id === KUBELET_LOAD_SPAN))
    return [];
  return [
    { ...start, id: KUBELET_LOAD_SPAN, name: 'kubelet, until its first line', startUs: upUs, endUs: start.startUs },
  ];
}

export const KUBELET_LOAD_SPAN = 'kubelet:load';

/** Kubelet logs the response shortly after the Node exists, and the next step begins when the Node exists. */
function endedAt(span: Span, atUs: number | undefined): Span {
  return atUs !== undefined && span.startUs < atUs && atUs < span.endUs ? { ...span, endUs: atUs } : span;
}

/** Creating a key and the request is kubelet's work. The wait is the cluster's part, which is a span inside. */
function asWork(span: Span, spans: readonly Span[]): Span {
  const { wait: _, ...rest } = span;
  const start = spans.find(({ id }) => id === 'kubelet:start');
  const isInside = start && start.startUs <= span.startUs && span.endUs <= start.endUs;
  return isInside ? { ...rest, parent: start.id } : rest;
}
