// boot/questions/chain.ts: what did the node wait for, link by link, from the end of the boot to its start? Includes all spans, not only units.

import { askedUnit } from '../model/default-target.ts';
import { milestonesOf } from '../model/milestones.ts';
import type { BootRecord, MilestoneName, Span } from '../model/record.ts';
import { heldBackBy, lastUnitBy } from './chain-held-back.ts';
import { insideOf } from './chain-inside.ts';
import { chainPoints, type Point, pointNamed } from './chain-points.ts';

export interface ChainLink extends Point {
  /** Time between the end of the previous link and this start: queueing, or something that no source reports. */
  gapUs: number;
  /** In start order: a stage's modules, an extension's tasks. */
  inside: Span[];
}

/** The first one that the boot reached is the default target. */
const END_POINTS: readonly MilestoneName[] = ['node-ready', 'node-registered', 'kubelet-started', 'startup-finished'];

/** Last link first, as critical-chain prints it. Empty if the target is unknown: see `chainTarget`. */
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
 * The default target: Node Ready if the boot reached it, else the end of startup (which includes work ordered after the default
 * target, such as cloud-final), else the root of a pasted listing or systemd's default target.
 */
export function chainTarget(record: BootRecord): string | undefined {
  const reached = new Set(milestonesOf(record).map((m) => m.name));
  return (
    END_POINTS.find((name) => reached.has(name)) ?? askedUnit(record) ?? lastUnitBy(record)?.name ?? lastStage(record)
  );
}

/** For logs without units, where stages run in sequence. */
function lastStage({ spans }: BootRecord): string | undefined {
  const stages = spans.filter((span) => span.parent === undefined);
  return stages.reduce<Span | undefined>((last, span) => (last && last.endUs > span.endUs ? last : span), undefined)
    ?.id;
}
