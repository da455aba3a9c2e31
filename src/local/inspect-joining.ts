// local/inspect-joining.ts: read the state of a joining node from its VM, guest and cluster, to explain why it is not Ready. Omits sources that fail.
import type { JoinEvent, JoinEventName } from '../cluster/kubernetes/join-events.ts';
import type { PlaneAccess } from '../cluster/local/joining.ts';
import type { ClusterState, GuestState, JoinState } from '../cluster/why-not-ready.ts';
import type { JoiningInstance } from '../vms/qemu/pools/admission.ts';

const ASK_MS = 60_000;
const UNIT = 'kubelet.service';
const LINES = 60;

export async function inspectJoining(
  access: PlaneAccess,
  joining: JoiningInstance,
  events: readonly JoinEvent[],
  signal?: AbortSignal,
): Promise<JoinState> {
  const isVmRunning = await joining.isRunning();
  const [guest, cluster] = await Promise.all([
    isVmRunning ? inspectGuest(joining, signal).catch(() => undefined) : undefined,
    inspectCluster(access, joining.ref.id, events, signal).catch(() => undefined),
  ]);
  return { node: joining.ref.id, isVmRunning, ...(guest && { guest }), ...(cluster && { cluster }) };
}

async function inspectGuest({ runInGuest }: JoiningInstance, signal: AbortSignal | undefined): Promise<GuestState> {
  const limits = { deadlineMs: ASK_MS, ...(signal && { signal }) };
  const show = ['systemctl', 'show', UNIT, '--property=LoadState,ActiveState,ExecMainStatus'] as const;
  const journal = ['journalctl', '--unit', UNIT, '--boot', '--lines', String(LINES), '--output=cat'] as const;
  const state = (await runInGuest(show, limits)).stdout.toString();
  const lines = (await runInGuest(journal, limits)).stdout.toString();
  const property = (name: string) => new RegExp(`^${name}=(.*)$`, 'm').exec(state)?.[1]?.trim() ?? '';
  const exitStatus = Number(property('ExecMainStatus') || Number.NaN);
  return {
    loadState: property('LoadState'),
    activeState: property('ActiveState'),
    ...(Number.isInteger(exitStatus) && { exitStatus }),
    lines: lines.split('\n').filter(Boolean),
  };
}

async function inspectCluster(
  access: PlaneAccess,
  name: string,
  events: readonly JoinEvent[],
  signal: AbortSignal | undefined,
): Promise<ClusterState> {
  const { connectCluster } = await import('../cluster/kubernetes/connect.ts');
  const { core, find } = await connectCluster(access);
  const node = await find({ verb: 'get', resource: 'nodes', name }, (options) => core.readNode({ name }, options), {
    signal,
  });
  const ready = node?.status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    requests: requestsIn(events),
    ...(node && {
      node: { isReady: ready?.status === 'True', ...(ready?.message !== undefined && { message: ready.message }) },
    }),
    wasDeleted: !node && events.some(({ event }) => event === 'node-deleted'),
  };
}

const STATES: Readonly<Partial<Record<JoinEventName, ClusterState['requests'][number]['state']>>> = {
  'csr-created': 'pending',
  'csr-approved': 'approved',
  'csr-issued': 'issued',
  'csr-denied': 'denied',
  'csr-failed': 'failed',
};

/** The last state of each request, oldest request first. */
export function requestsIn(events: readonly JoinEvent[]): ClusterState['requests'] {
  const last = new Map<string, ClusterState['requests'][number]>();
  for (const { event, name, detail } of events) {
    const state = STATES[event];
    if (state !== undefined) last.set(name, { name, state, ...(detail !== undefined && { detail }) });
  }
  return [...last.values()];
}
