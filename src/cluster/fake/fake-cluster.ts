// cluster/fake/fake-cluster.ts: an in-memory implementation of the cluster contract, for tests.
import type { Clock } from '../../base/clock.ts';
import { Conflict, Forbidden, NotFound } from '../../base/failures.ts';
import { plainCopy } from '../../base/plain-copy.ts';
import type { BootstrapToken, Cluster, Lease, Node, Pod, ScriptResult } from '../cluster.ts';
import { LeaseHeld } from '../lease-held.ts';

export interface FakePod extends Pod {
  nodeName: string;
}

export interface FakeCluster extends Cluster {
  nodes: Map<string, Node>;
  pods: FakePod[];
  leases: Map<string, Lease>;
  secrets: Map<string, Readonly<Record<string, string>>>;
  /** By id; null: no permission to read them. */
  tokens: Map<string, BootstrapToken> | null;
  /** Names of pods that a disruption budget protects for now. */
  blocked: Set<string>;
  scripts: { node: string; script: string }[];
  runScript: (nodeName: string, script: string) => ScriptResult;
  addNode(name: string, more?: Partial<Node>): Node;
  /** Changes a node like kubelet, a controller or a user would, outside the contract. */
  touch(name: string, change: Partial<Node>): void;
}

export function fakeCluster(clock: Clock): FakeCluster {
  let serial = 0;
  const cluster: FakeCluster = {
    nodes: new Map(),
    pods: [],
    leases: new Map(),
    secrets: new Map(),
    tokens: new Map(),
    blocked: new Set(),
    scripts: [],
    runScript: () => ({ exitCode: 0, stdout: '', stderr: '' }),
    addNode(name, more = {}) {
      const node: Node = { ...PLAIN, name, uid: `uid-${++serial}`, resourceVersion: String(serial), ...more };
      cluster.nodes.set(name, node);
      return node;
    },
    touch(name, change) {
      const node = cluster.nodes.get(name);
      if (node) cluster.nodes.set(name, { ...node, ...change, resourceVersion: String(++serial) });
    },

    readNode: async (name) => plainCopy(cluster.nodes.get(name)),
    listNodes: async () => plainCopy([...cluster.nodes.values()]),
    async changeNode(node, change) {
      const known = cluster.nodes.get(node.name);
      if (known?.uid !== node.uid || known.resourceVersion !== node.resourceVersion) {
        throw new Conflict(`node ${node.name} was changed by another client`);
      }
      const annotations: Record<string, string> = { ...known.annotations };
      for (const [key, value] of Object.entries(change.annotations ?? {})) {
        if (value === null) delete annotations[key];
        else annotations[key] = value;
      }
      cluster.touch(node.name, { annotations, isUnschedulable: change.isUnschedulable ?? known.isUnschedulable });
    },
    listPods: async (nodeName) => plainCopy(cluster.pods.filter((pod) => pod.nodeName === nodeName)),
    async evict(pod) {
      if (!cluster.pods.some((p) => p.uid === pod.uid)) return { outcome: 'gone' };
      if (cluster.blocked.has(pod.name)) return { outcome: 'blocked', reason: 'the budget allows 0' };
      cluster.pods = cluster.pods.filter((p) => p.uid !== pod.uid);
      return { outcome: 'evicted' };
    },
    async deletePod(pod) {
      cluster.pods = cluster.pods.filter((p) => p.uid !== pod.uid);
    },

    readLease: async (name) => plainCopy(cluster.leases.get(name)),
    async holdLease(name, { holder, durationMs, note }) {
      const known = cluster.leases.get(name);
      const isHeld = known && known.holder !== holder && known.renewedMs + known.durationMs > clock.nowMs();
      if (isHeld) throw new LeaseHeld(name, known);
      cluster.leases.set(name, { holder, durationMs, note, renewedMs: clock.nowMs() });
    },
    async releaseLease(name, holder) {
      if (cluster.leases.get(name)?.holder === holder) cluster.leases.delete(name);
    },

    readSecret: async (name) => cluster.secrets.get(name),
    async writeSecret(name, values) {
      cluster.secrets.set(name, { ...values });
    },
    async deleteSecret(name) {
      cluster.secrets.delete(name);
    },
    async readBootstrapToken(id) {
      if (!cluster.tokens) throw new Forbidden(`no right to get secrets bootstrap-token-${id}`);
      return cluster.tokens.get(id);
    },
    async runOnNode(nodeName, script) {
      if (!cluster.nodes.get(nodeName)?.isReady) throw new NotFound(`a kubelet on ${nodeName}`);
      cluster.scripts.push({ node: nodeName, script });
      return cluster.runScript(nodeName, script);
    },
    recordEvent: async () => undefined,
  };
  return cluster;
}

const PLAIN: Omit<Node, 'name' | 'uid' | 'resourceVersion'> = {
  providerId: '',
  isUnschedulable: false,
  isReady: true,
  readySinceMs: 0,
  troubles: [],
  annotations: {},
  labels: {},
  taints: [],
  os: 'linux',
  architecture: 'amd64',
  osImage: 'Debian GNU/Linux 12 (bookworm)',
  kernelVersion: '6.1.0-54-cloud-amd64',
  kubeletVersion: 'v1.35.8',
  machineId: '0'.repeat(32),
  systemUuid: '',
};
