// boot/questions/chain-inside.ts: which spans are inside one link of the chain?
import type { Span } from '../model/record.ts';
import type { ChainPoints, Point } from './chain-points.ts';

/** In start order: a stage's modules, an extension's tasks, and the waits until Ready. */
export function insideOf({ children, joining, joiningAndWaits }: ChainPoints, point: Point): Span[] {
  // A link may end before its span: when it started the next link.
  const parts = descendants(point.id, children).filter(
    (span) => span.startUs < point.endUs || span.endUs <= point.endUs,
  );
  if (!joining.some((span) => span.id === point.id)) return parts;
  // Kubelet, the cluster and scripts report the waits until Ready as separate spans.
  const waits = joiningAndWaits.filter(
    (span) => span.wait !== undefined && span.startUs < point.endUs && span.endUs > point.startUs,
  );
  return [...new Set([...parts, ...waits])].filter((span) => span.id !== point.id);
}

export function descendants(id: string, children: ReadonlyMap<string, Span[]>): Span[] {
  const found: Span[] = [];
  const seen = new Set([id]);
  const pending = [...(children.get(id) ?? [])];
  for (let next = pending.pop(); next; next = pending.pop()) {
    if (seen.has(next.id)) continue;
    seen.add(next.id);
    found.push(next);
    pending.push(...(children.get(next.id) ?? []));
  }
  return found.sort((a, b) => a.startUs - b.startUs);
}
