// boot/questions/path/boot-groups.ts: to which part of the way to Ready does a span belong?
import type { SpanSource } from '../../model/record.ts';

/** In the order in which a node passes through them. */
export const BOOT_GROUPS = [
  'platform',
  'kernel',
  'early units',
  'cloud-init',
  'agents',
  'later units',
  'kubelet',
  'cluster',
] as const;
export type BootGroup = (typeof BOOT_GROUPS)[number];

const BY_SOURCE: Readonly<Partial<Record<SpanSource, BootGroup>>> = {
  platform: 'platform',
  firmware: 'kernel',
  loader: 'kernel',
  kernel: 'kernel',
  initrd: 'kernel',
  'cloud-init': 'cloud-init',
  'guest-agent': 'agents',
  extension: 'agents',
  'node-config': 'agents',
  kubelet: 'kubelet',
  cluster: 'cluster',
};

const BY_UNIT: readonly (readonly [RegExp, BootGroup])[] = [
  [/^(cloud-init(-local|-main|-network)?|cloud-config|cloud-final)\.(service|target)$/, 'cloud-init'],
  [/^(walinuxagent|waagent|google-guest-agent|amazon-ssm-agent|headstart-node)\.service$/, 'agents'],
  [/^kubelet\.service$/, 'kubelet'],
];

/** Units before and after the first one of cloud-init, an agent or kubelet: only the order tells them apart. */
export function groupsOf(
  spans: readonly { source: SpanSource; name: string; startUs: number }[],
): (span: { source: SpanSource; name: string; startUs: number }) => BootGroup {
  let setupUs = Number.POSITIVE_INFINITY;
  for (const span of spans) if (namedGroup(span) !== undefined) setupUs = Math.min(setupUs, setupStart(span));
  return (span) => namedGroup(span) ?? (span.startUs < setupUs ? 'early units' : 'later units');
}

function namedGroup({ source, name }: { source: SpanSource; name: string }): BootGroup | undefined {
  return BY_SOURCE[source] ?? BY_UNIT.find(([unit]) => unit.test(name))?.[1];
}

/** Everything before the units run ends before the setup of the node begins. */
function setupStart(span: { source: SpanSource; name: string; startUs: number }): number {
  const group = namedGroup(span);
  return group === 'platform' || group === 'kernel' ? Number.POSITIVE_INFINITY : span.startUs;
}
