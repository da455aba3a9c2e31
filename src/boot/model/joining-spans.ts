// boot/model/joining-spans.ts: kubelet and the cluster both report how the node joined: which of the two reports each part?
import type { Milestone, Span } from './record.ts';

/** A watch sees to a few milliseconds, a Node's own stamps are of whole seconds. */
const WATCHED_US = 100_000;

/** Seen from the cluster as it happened: what was asked for is a node that is Ready there, so this is the instant that counts. */
export function isWatched({ source, errorUs = 0 }: Milestone): boolean {
  return source === 'cluster' && errorUs < WATCHED_US;
}

/** `milestones` are those that were chosen for the record; `kubeletUpUs` is when its unit was first up in this boot. */
export function mergeJoinSpans(
  spans: readonly Span[],
  milestones: readonly Milestone[],
  kubeletUpUs: number | undefined,
): Span[] {
  const has = (id: string) => spans.some((span) => span.id === id);
  const watched = (name: Milestone['name']) => milestones.find((one) => one.name === name && isWatched(one))?.atUs;
  // The kubelet does not round to seconds; a watch does not either, and ends where the milestone is.
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

/** Up for systemd is that the process exists; until the kubelet says its first word, a large program is being read from disk. */
function loadSpan(spans: readonly Span[], upUs: number | undefined): Span[] {
  const start = spans.find(({ id }) => id === 'kubelet:start');
  if (!start || upUs === undefined || upUs >= start.startUs || spans.some(({ id }) => id === KUBELET_LOAD_SPAN))
    return [];
  return [
    { ...start, id: KUBELET_LOAD_SPAN, name: 'kubelet, until its first line', startUs: upUs, endUs: start.startUs },
  ];
}

export const KUBELET_LOAD_SPAN = 'kubelet:load';

/** The kubelet reads the answer a moment after the Node is there; what comes next begins when it is. */
function endedAt(span: Span, atUs: number | undefined): Span {
  return atUs !== undefined && span.startUs < atUs && atUs < span.endUs ? { ...span, endUs: atUs } : span;
}

/** Making a key and asking is part of the kubelet's own work; the wait is the cluster's part of it, which is told inside. */
function asWork(span: Span, spans: readonly Span[]): Span {
  const { wait: _, ...rest } = span;
  const start = spans.find(({ id }) => id === 'kubelet:start');
  const isInside = start && start.startUs <= span.startUs && span.endUs <= start.endUs;
  return isInside ? { ...rest, parent: start.id } : rest;
}
