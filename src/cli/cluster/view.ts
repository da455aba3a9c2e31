// cli/cluster/view.ts: the status of a local cluster, its programs and its nodes. Never contains a credential.
import { formatSpan } from '../../base/duration.ts';
import { TransientError } from '../../base/errors.ts';
import type { Node } from '../../cluster/cluster.ts';
import type { ClusterPlace } from '../../cluster/local/cluster-files.ts';
import { describeOrphan, noSuchCluster } from '../../cluster/local/no-such-cluster.ts';
import { findOrphans, type PlaneView, readPlane, type ServerView } from '../../cluster/local/read-plane.ts';
import type { Orphan } from '../../cluster/local/server-processes.ts';
import type { OpenedPlane } from '../compose/open-plane.ts';
import { wrapLines } from '../output/display-width.ts';
import type { Screen } from '../output/screen.ts';
import { type Column, renderTable } from '../output/table.ts';

export interface NodeView extends Pick<Node, 'name' | 'isReady' | 'isUnschedulable' | 'troubles' | 'kubeletVersion'> {
  readySinceMs?: number;
}

export interface ClusterView extends PlaneView {
  /** Absent if the API server does not answer. */
  nodes?: NodeView[];
  /** Programs of deleted cluster folders in this home; only `kill` ends them. */
  orphans: Orphan[];
}

export async function readClusterView(
  place: ClusterPlace,
  { plane, listNodes }: OpenedPlane,
  signal: AbortSignal,
): Promise<ClusterView> {
  const view = await readPlane(place, plane);
  const orphans = findOrphans(place, plane);
  if (!view) throw noSuchCluster(place, orphans);
  const canAsk = view.programs.some(({ name, isHealthy }) => name === 'kube-apiserver' && isHealthy);
  if (!canAsk) return { ...view, orphans };
  const nodes = await listNodes(view.kubeconfig, signal).catch((error: unknown) => {
    if (error instanceof TransientError) return undefined;
    throw error;
  });
  // The API server may have ended since its health was checked.
  if (!nodes) return { ...((await readPlane(place, plane)) ?? view), orphans };
  return { ...view, nodes: nodes.map(viewOfNode).sort((a, b) => (a.name < b.name ? -1 : 1)), orphans };
}

function viewOfNode({ name, isReady, readySinceMs, isUnschedulable, troubles, kubeletVersion }: Node): NodeView {
  return {
    name,
    isReady,
    isUnschedulable,
    troubles,
    kubeletVersion,
    ...(readySinceMs !== undefined && { readySinceMs }),
  };
}

export function renderCluster(view: ClusterView, nowMs: number, screen: Screen): string {
  const facts = [
    ['kubernetes', view.kubernetes],
    ['server', view.server],
    ['for guests', `https://${view.guest.address}:${view.guest.port}, in pools of this cluster`],
    ['kubeconfig', view.kubeconfig],
  ] as const;
  const head = facts.map(([name, value]) => `  ${name.padEnd(10)}  ${value}\n`).join('');
  const since = (ms: number | undefined) =>
    ms === undefined ? '' : formatSpan(Math.floor(Math.max(0, nowMs - ms) / 1000) * 1e6);
  const programs: Column<ServerView>[] = [
    { title: 'PROGRAM', cell: ({ name }) => name },
    {
      title: 'HEALTHY',
      cell: ({ isHealthy, why }) => (isHealthy ? 'yes' : `no: ${why}`),
      style: ({ isHealthy }) => (isHealthy ? 'good' : 'bad'),
      narrow: 'wrap',
    },
    { title: 'PID', align: 'right', cell: ({ pid }) => (pid === undefined ? '' : String(pid)) },
    { title: 'SINCE', align: 'right', cell: ({ sinceMs }) => since(sinceMs) },
    { title: 'ADDRESS', cell: ({ address }) => address },
  ];
  const table = renderTable(programs, view.programs, screen);
  const rest = `${renderNodes(view.nodes, since, screen)}${wrapLines(renderOrphans(view.orphans), screen.columns)}`;
  return `${view.name}\n${wrapLines(head, screen.columns, 14)}\n${table}\n${rest}`;
}

function renderOrphans(orphans: readonly Orphan[]): string {
  if (orphans.length === 0) return '';
  const lines = orphans.map((orphan) => `${describeOrphan(orphan)}\n`).join('');
  return `\nleft behind\n${lines}to end them: kill ${orphans.map(({ pid }) => pid).join(' ')}\n`;
}

function renderNodes(
  nodes: readonly NodeView[] | undefined,
  since: (ms: number | undefined) => string,
  screen: Screen,
): string {
  if (!nodes) return 'nodes: unknown, the API server does not answer\n';
  if (nodes.length === 0) return 'no nodes\n';
  return renderTable<NodeView>(
    [
      { title: 'NODE', cell: ({ name }) => name },
      {
        title: 'READY',
        cell: ({ isReady }) => (isReady ? 'yes' : 'no'),
        style: ({ isReady }) => (isReady ? 'good' : 'bad'),
      },
      { title: 'SINCE', align: 'right', cell: ({ readySinceMs }) => since(readySinceMs) },
      { title: 'KUBELET', cell: ({ kubeletVersion }) => kubeletVersion },
      {
        title: '',
        cell: ({ isUnschedulable, troubles }) => [...(isUnschedulable ? ['cordoned'] : []), ...troubles].join(', '),
        style: () => 'warning',
        narrow: 'wrap',
      },
    ],
    nodes,
    screen,
  );
}
