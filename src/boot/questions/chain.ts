// boot/questions/chain.ts: what held the node back, link by link, from the end of the boot to its beginning? Over everything, not units only.

import { defaultTarget } from '../model/default-target.ts';
import { milestonesOf } from '../model/milestones.ts';
import type { BootRecord, MilestoneName, Span } from '../model/record.ts';
import { heldBackBy, lastUnitBy } from './chain-held-back.ts';
import { insideOf } from './chain-inside.ts';
import { chainPoints, type Point, pointNamed } from './chain-points.ts';

export interface ChainLink extends Point {
  /** Time between the end of what it waited for and its own start: queueing, or something no source shows. */
  gapUs: number;
  /** What went on inside, in start order: a stage's modules, an extension's tasks. */
  inside: Span[];
}

/** The first one known is what the user waited for. */
const END_POINTS: readonly MilestoneName[] = ['node-ready', 'node-registered', 'kubelet-started', 'startup-finished'];

/** Last link first, as critical-chain prints it. Empty when the target is unknown: see `chainTarget`. */
export function chain(record: BootRecord, target: string | undefined = chainTarget(record)): ChainLink[] {
  if (target === undefined) return [];
  const points = chainPoints(record);
  const links: ChainLink[] = [];
  const visited = new Set<string>();
  let current = pointNamed(points, target);
  while (current && !visited.has(current.id)) {
    visited.add(current.id);
    const previous = heldBackBy(points, current);
    links.push({
      ...current,
      gapUs: previous ? Math.max(0, current.startUs - previous.endUs) : 0,
      inside: insideOf(points, current),
    });
    current = previous;
  }
  return links;
}

/**
 * What the chain is asked for when the user names no target: Node Ready if the boot knows it, else the end of startup (work ordered after
 * the default target, such as cloud-final, is part of it), else the default target.
 */
export function chainTarget(record: BootRecord): string | undefined {
  const reached = new Set(milestonesOf(record).map((m) => m.name));
  return (
    END_POINTS.find((name) => reached.has(name)) ??
    defaultTarget(record) ??
    lastUnitBy(record)?.name ??
    lastStage(record)
  );
}

/** Logs without units: one stage after the other, the last one at the end. */
function lastStage({ spans }: BootRecord): string | undefined {
  const stages = spans.filter((span) => span.parent === undefined);
  return stages.reduce<Span | undefined>((last, span) => (last && last.endUs > span.endUs ? last : span), undefined)
    ?.id;
}
