// boot/questions/scan-edits.ts: which single edits on the critical path would a person consider at all?

import { failureOf } from '../model/causes/failures.ts';
import { type Detours, detoursAround } from '../model/detours.ts';
import { GUEST_AGENT_UNITS } from '../model/known-units.ts';
import type { Span } from '../model/record.ts';
import { criticalPath, type RetimedGraph } from '../model/retime.ts';
import { isDevice } from '../model/triggered-units.ts';
import { descendants } from './chain-inside.ts';
import { shortName } from './edit-names.ts';
import type { WhatIfEdit } from './edits.ts';
import type { PointGraph } from './point-graph.ts';

export interface PossibleEdit {
  edit: WhatIfEdit;
  /** It saves at most this. */
  atMostUs: number;
  tookUs: number;
  description?: string;
  /** Why the unit failed in this boot. */
  failure?: string;
}

/** What a node cannot do without, whatever its unit files say: its base, network, storage, clock, protection and Kubernetes. */
const ESSENTIAL = new RegExp(
  `^(?:${[
    'systemd-|dbus|kmod|user@|getty|serial-getty|initrd|dracut|cloud-|headstart-|ssh',
    'NetworkManager|networking\\.|network\\.|netplan|ifup|wicked|dhcpcd|connman|resolvconf',
    'lvm2|multipath|dm-event|blk-availability|mdadm|mdmonitor|cryptsetup|zfs|btrfs|iscsi|open-iscsi|nvme|nfs|rpc',
    'chrony|ntp|apparmor|auditd|selinux|ufw|firewalld|nftables|iptables|ip6tables',
    'kube|k3s|rke2|containerd|docker|crio|cri-|cni|nodeadm|aks-|eks|google-|machine-config|ignition|nvidia',
  ].join('|')})`,
);

/** Not for other kinds of units: a target, mount, socket, slice or device has no work of its own to leave out. */
export function possibleEdits(
  graph: PointGraph,
  timed: RetimedGraph,
  { target, smallestUs, needed }: { target: number; smallestUs: number; needed: ReadonlySet<string> },
): PossibleEdit[] {
  const path = criticalPath(graph, timed, target).reverse();
  const detours = detoursAround(graph, timed, path);
  const targetUs = timed.endUs[target]!;
  const unitOf = new Map([...graph.shadows].flatMap(([u, shadows]) => shadows.map((shadow) => [shadow, u] as const)));
  const found: PossibleEdit[] = [];
  for (const [i, u] of path.entries()) {
    const isWhole = !unitOf.has(u);
    const { withoutUnitUs, withoutEdgeUs }: Detours = detours[i]!;
    found.push(...partEdits(graph, unitOf.get(u) ?? u), ...timeoutEdits(graph, u));
    const tookUs = graph.tookUs[u]!;
    const atMostUs = graph.isPartial ? tookUs : targetUs - withoutUnitUs;
    // The cheapest question first: of thousands of units, few are worth an edit.
    if (atMostUs >= smallestUs && isWhole && u !== target && canMask(graph, u, needed)) {
      found.push({ edit: { kind: 'mask', unit: graph.names[u]! }, atMostUs, tookUs, ...described(graph, u) });
    }
    const previous = path[i - 1];
    const withoutUs = targetUs - withoutEdgeUs;
    if (withoutUs >= smallestUs && isWhole && previous !== undefined && canDrop(graph, u, previous)) {
      const edit = { kind: 'drop-after', unit: graph.names[u]!, dependency: graph.names[previous]! } as const;
      found.push({ edit, atMostUs: withoutUs, tookUs: graph.tookUs[previous]! });
    }
  }
  return unique([...found, ...groupEdits(graph, path)]).filter((one) => one.atMostUs >= smallestUs);
}

/** A device that never appeared: its wait is the one that a node can do without. */
function timeoutEdits({ names, points, tookUs }: PointGraph, u: number): PossibleEdit[] {
  const job = points.failedJobs.get(names[u]!);
  if (!job?.wait || !isDevice(names[u]!)) return [];
  const edit = { kind: 'set', unit: names[u]!, tookUs: 0 } as const;
  return [{ edit, atMostUs: tookUs[u]!, tookUs: tookUs[u]!, failure: job.failure ?? 'failed' }];
}

/** Modules of cloud-init: their stage runs them one after another. */
function partEdits(graph: PointGraph, u: number): PossibleEdit[] {
  const parts = descendants(graph.ids[u]!, graph.points.children);
  return parts.filter(isModule).map((span) => ({
    edit: { kind: 'without', unit: shortName(span) },
    atMostUs: span.endUs - span.startUs,
    tookUs: span.endUs - span.startUs,
  }));
}

function isModule(span: Span): boolean {
  return span.source === 'cloud-init' && span.wait === undefined && shortName(span).startsWith('config-');
}

function groupEdits(graph: PointGraph, path: readonly number[]): PossibleEdit[] {
  const { names, sources, points } = graph;
  const groups: PossibleEdit[] = [];
  const add = (unit: string) =>
    groups.push({ edit: { kind: 'without', unit }, atMostUs: Number.POSITIVE_INFINITY, tookUs: 0 });
  if (path.some((u) => /^cloud-(?:init|config|final)/.test(names[u]!) || sources[u] === 'cloud-init'))
    add('cloud-init');
  const isOnWay = path.some((u) => ['kubelet', 'cluster', 'extension'].includes(sources[u]!));
  if (isOnWay && [...points.spans.values()].some(({ name, source }) => source !== 'systemd' && /pull/i.test(name)))
    add('image-pulls');
  return groups;
}

function canMask(graph: PointGraph, u: number, needed: ReadonlySet<string>): boolean {
  const name = graph.names[u]!;
  if (graph.sources[u] !== 'systemd' || !name.endsWith('.service') || name.startsWith('stop of ')) return false;
  if (ESSENTIAL.test(name) || GUEST_AGENT_UNITS.includes(name) || needed.has(name)) return false;
  // Its timer or socket would still try to start it, and log a failure each time.
  if (graph.triggered.has(name)) return false;
  return !graph.waits.has(u) && !graph.holds.has(u) && graph.tookUs[u]! > 0;
}

function canDrop(graph: PointGraph, u: number, d: number): boolean {
  const { names, sources, points, isPartial } = graph;
  if (isPartial || sources[u] !== 'systemd' || sources[d] !== 'systemd' || graph.waits.has(d)) return false;
  const [unit, dependency] = [points.units.get(names[u]!), names[d]!];
  if (!unit?.name.endsWith('.service') || !dependency.endsWith('.service') || dependency.startsWith('stop of '))
    return false;
  if (/^(?:systemd-|dbus|cloud-)/.test(unit.name)) return false;
  if (ESSENTIAL.test(dependency) && !dependency.startsWith('cloud-')) return false;
  if (!unit.after.includes(dependency)) return false;
  return ![unit.requires, unit.requisite, unit.bindsTo, unit.wants].some((names) => names?.includes(dependency));
}

/** Units that others require or are started by, and units that a service wants: unlike a target, it wants what it uses. */
export function neededUnits({ points, names, startedBy, triggered }: PointGraph): Set<string> {
  const needed = new Set([...triggered.values(), ...[...startedBy.values()].map((u) => names[u]!)]);
  const add = (units: readonly string[] | undefined) => {
    if (units) for (const one of units) needed.add(one);
  };
  for (const unit of points.record.units) {
    if (unit.activatingUs === 0) continue;
    add(unit.requires);
    add(unit.requisite);
    add(unit.bindsTo);
    if (!unit.name.endsWith('.target')) add(unit.wants);
  }
  return needed;
}

function described({ points, names }: PointGraph, u: number): Pick<PossibleEdit, 'description' | 'failure'> {
  const unit = points.units.get(names[u]!);
  const failure = unit && failureOf(unit);
  return {
    ...(unit?.description !== undefined && { description: unit.description }),
    ...(failure !== undefined && { failure }),
  };
}

/** The same module may be in two links of the path. */
function unique(edits: readonly PossibleEdit[]): PossibleEdit[] {
  const seen = new Map<string, PossibleEdit>();
  for (const one of edits) {
    const key = JSON.stringify(one.edit);
    const known = seen.get(key);
    seen.set(key, known ? { ...one, atMostUs: one.atMostUs + known.atMostUs, tookUs: one.tookUs + known.tookUs } : one);
  }
  return [...seen.values()];
}
