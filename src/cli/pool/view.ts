// cli/pool/view.ts: the state of a pool and its instances. Never contains custom data or user data: they hold secrets.
import { formatSpan } from '../../base/duration.ts';
import type { ImageRef, Instance, Pool } from '../../vms/pools.ts';
import type { QemuProvider, Service, Size } from '../../vms/qemu/local-provider.ts';
import { wrapLines } from '../output/display-width.ts';
import type { Screen } from '../output/screen.ts';
import { renderTable } from '../output/table.ts';

export interface InstanceView {
  name: string;
  power: Instance['power'];
  /** The guest is up, as its pool defines it; false if the instance does not run. */
  isUp: boolean;
  /** Made from a different image than new instances. */
  isStale: boolean;
  image: string;
  vmId: string;
  address: string;
  sshPort?: number;
  startedMs?: number;
}

export interface PoolView {
  name: string;
  image: string;
  size: Size;
  /** New instances run custom data at first boot. */
  hasCustomData: boolean;
  hasUserData: boolean;
  extensions: string[];
  services: Service[];
  readyUnit?: string;
  cluster?: string;
  instances: InstanceView[];
}

export async function readPoolView(provider: QemuProvider, pool: Pool, signal: AbortSignal): Promise<PoolView> {
  const [spec, instances] = await Promise.all([
    provider.pools.readSpec(pool.ref, { signal }),
    provider.pools.listInstances(pool.ref, { signal }),
  ]);
  return {
    name: pool.ref.name,
    image: shortImageName(pool.model.image),
    size: spec.size,
    hasCustomData: spec.customData !== undefined,
    hasUserData: spec.userData !== undefined,
    extensions: spec.extensions.map(({ name }) => name),
    services: spec.services,
    ...(spec.readyUnit !== undefined && { readyUnit: spec.readyUnit }),
    ...(spec.cluster !== undefined && { cluster: spec.cluster }),
    instances: await Promise.all(instances.map((instance) => readInstanceView(provider, pool, instance, signal))),
  };
}

export async function readInstanceView(
  provider: QemuProvider,
  pool: Pick<Pool, 'model'>,
  instance: Instance,
  signal: AbortSignal,
): Promise<InstanceView> {
  const { address, sshPort, startedMs } = await provider.guests.readDetails(instance.ref);
  const isRunning = instance.power === 'running';
  const image = shortImageName(instance.image);
  return {
    name: instance.computerName,
    power: instance.power,
    isUp: isRunning && (await provider.guests.isUp(instance.ref, { signal })),
    isStale: image !== shortImageName(pool.model.image),
    image,
    vmId: instance.vmId,
    address,
    ...(isRunning && sshPort !== undefined && { sshPort }),
    ...(isRunning && startedMs !== undefined && { startedMs }),
  };
}

/** `headstart/debian-12/2026.11.15` */
export function shortImageName(image: ImageRef | undefined): string {
  if (!image) return 'unknown';
  if (image.kind === 'marketplace') return `${image.publisher}:${image.offer}:${image.sku}:${image.version}`;
  return image.id.replace(/^galleries\//, '');
}

export function renderPool(view: PoolView, nowMs: number, screen: Screen): string {
  const { size } = view;
  const facts: (readonly [string, string])[] = [
    ['image', view.image],
    ['size', describeSize(size)],
    ['first boot', view.hasCustomData ? 'runs custom data' : 'runs nothing'],
    ...(view.hasUserData ? ([['user data', 'given']] as const) : []),
    ...(view.extensions.length > 0 ? ([['extensions', view.extensions.join(', ')]] as const) : []),
    ...(view.cluster === undefined ? [] : ([['cluster', view.cluster]] as const)),
    ['up when', upWhen(view)],
    ...view.services.map(
      ({ address, port, to }) => ['can reach', `${address}:${port}, which is ${to.host}:${to.port} here`] as const,
    ),
  ];
  const width = Math.max(...facts.map(([name]) => name.length));
  const head = facts.map(([name, value]) => `  ${name.padEnd(width)}  ${value}\n`).join('');
  const table = view.instances.length > 0 ? renderInstances(view.instances, nowMs, screen) : 'no instances\n';
  return `${view.name}\n${wrapLines(head, screen.columns, width + 4)}\n${table}`;
}

function upWhen({ readyUnit, cluster }: PoolView): string {
  const unit = readyUnit === undefined ? [] : [`${readyUnit} is active`];
  const node = cluster === undefined ? [] : ['its node is Ready'];
  return [...unit, ...node].join(', and ') || 'systemd has started everything';
}

export function describeSize({ cpus, memoryMb, diskGb }: Size): string {
  return `${cpus} CPU${cpus === 1 ? '' : 's'}, ${memoryMb} MB memory, ${diskGb} GB disk`;
}

function renderInstances(instances: readonly InstanceView[], nowMs: number, screen: Screen): string {
  return renderTable(
    [
      { title: 'INSTANCE', cell: (i) => i.name },
      { title: 'POWER', cell: (i) => i.power },
      {
        title: 'UP',
        cell: (i) => (i.isUp ? 'yes' : 'no'),
        style: (i) => (i.isUp ? 'good' : i.power === 'running' ? 'warning' : undefined),
      },
      {
        title: 'SINCE',
        align: 'right',
        cell: (i) =>
          i.startedMs === undefined ? '' : formatSpan(Math.floor(Math.max(0, nowMs - i.startedMs) / 1000) * 1e6),
      },
      { title: 'ADDRESS', cell: (i) => i.address },
      { title: 'SSH', align: 'right', cell: (i) => (i.sshPort === undefined ? '' : String(i.sshPort)) },
      { title: 'MADE FROM', cell: (i) => i.image },
      { title: '', cell: (i) => (i.isStale ? 'stale' : ''), style: () => 'warning' },
    ],
    instances,
    screen,
  );
}
