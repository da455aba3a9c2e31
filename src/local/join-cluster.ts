// local/join-cluster.ts: join a pool's instances to a local cluster: issue their credentials, wait for their nodes, delete their nodes.
import { join } from 'node:path';
import { type Clock, systemClock } from '../base/clock.ts';
import { TransientError, UserError } from '../base/errors.ts';
import { readJoinLog } from '../cluster/join-log.ts';
import {
  type ClusterRecord,
  clusterFiles,
  GUEST_PORT,
  readClusterRecord,
  readIfExists,
} from '../cluster/local/cluster-files.ts';
import type { PlaneAccess } from '../cluster/local/joining.ts';
import { noSuchCluster } from '../cluster/local/no-such-cluster.ts';
import type { Service } from '../vms/qemu/local-provider.ts';
import type { JoinCluster } from '../vms/qemu/pools/admission.ts';
import { awaitNodeReady } from './await-ready.ts';

/** kubelet uses its token within minutes. The expiry keeps a stolen token from being useful for long. */
const TOKEN_MS = 3_600_000;

/** For the clusters of this home. Loads the Kubernetes client only when needed. */
export function joinLocalCluster(home: string, clock: Clock = systemClock): JoinCluster {
  /** Instance id → token id, for starts by this command. The token is revoked when the node is Ready. */
  const tokens = new Map<string, string>();
  const accessTo = (cluster: string): PlaneAccess & { record: ClusterRecord } => {
    const place = { home, name: cluster };
    const record = readClusterRecord(place);
    if (!record) throw noSuchCluster(place);
    return { kubeconfig: clusterFiles(place).kubeconfig, clock, record };
  };
  const clientOf = async (cluster: string) => {
    const { connectCluster } = await import('../cluster/kubernetes/connect.ts');
    return connectCluster(accessTo(cluster));
  };
  const parking = () => import('../cluster/kubernetes/park-node.ts');
  const serverOf = ({ guestAddress, ports }: ClusterRecord): Service => ({
    address: guestAddress,
    port: GUEST_PORT,
    to: { host: '127.0.0.1', port: ports['kube-apiserver'] },
  });
  return {
    server: (cluster) => serverOf(accessTo(cluster).record),

    async reserve(cluster, { id }, options) {
      await (await parking()).reserveNode(await clientOf(cluster), id, options);
    },

    async readSeed(cluster, { id }, options) {
      return (await parking()).readNodeSeed(await clientOf(cluster), id, options);
    },

    async createNode(cluster, { id }, seed, options) {
      const [{ createParkedNode }, client] = await Promise.all([parking(), clientOf(cluster)]);
      await createParkedNode(client, id, seed, options).catch(orNotRunning(cluster));
    },

    async release(cluster, { id }, options) {
      await (await parking()).releaseNode(await clientOf(cluster), id, options);
    },

    async admit(cluster, instance, { signal, onWaiting }) {
      const { record, ...access } = accessTo(cluster);
      onWaiting?.(`a credential for cluster ${cluster}`);
      const { bootstrapKubeconfig, createBootstrapToken } = await import('../cluster/local/joining.ts');
      const note = `for ${instance.id}`;
      const { id, token } = await createBootstrapToken(access, TOKEN_MS, { note, signal }).catch(orNotRunning(cluster));
      tokens.set(instance.id, id);
      const ca = readIfExists(join(clusterFiles({ home, name: cluster }).pki, 'ca.crt')) ?? '';
      return {
        server: serverOf(record),
        credential: bootstrapKubeconfig(`https://${record.guestAddress}:${GUEST_PORT}`, ca, token),
      };
    },

    async awaitReady(cluster, joining, options) {
      const { record: _, ...access } = accessTo(cluster);
      await awaitNodeReady(access, joining, options);
      const token = tokens.get(joining.ref.id);
      if (token === undefined) return;
      const { revokeBootstrapToken } = await import('../cluster/local/joining.ts');
      // Best effort: the token expires anyway, and the node is Ready.
      await revokeBootstrapToken(access, token, options.signal).catch(unlessInterrupted(options.signal));
      tokens.delete(joining.ref.id);
    },

    async isReady(cluster, instance, { signal }) {
      if (!readClusterRecord({ home, name: cluster })) return undefined;
      const { kubernetesCluster } = await import('../cluster/kubernetes/cluster.ts');
      const reading = kubernetesCluster(accessTo(cluster)).then((api) => api.readNode(instance.id, signal));
      return reading.then((node) => node?.isReady ?? false, unlessInterrupted(signal));
    },

    wasReady: ({ eventsFile, startedMs }) =>
      readJoinLog(eventsFile).some(
        ({ event, atMs, errorMs = 0 }) => event === 'node-ready' && atMs + errorMs >= startedMs,
      ),

    async forgetNode(cluster, instance, { signal }) {
      if (!readClusterRecord({ home, name: cluster })) return;
      const { deleteNode } = await import('../cluster/local/joining.ts');
      await deleteNode(accessTo(cluster), instance.id, signal).catch(orNotRunning(cluster));
    },

    async removeNode(cluster, instance, { signal, onWaiting }) {
      // The cluster was deleted, and its nodes with it.
      if (!readClusterRecord({ home, name: cluster })) return;
      const { deleteNode } = await import('../cluster/local/joining.ts');
      // Deleting a pool must work when its cluster is down.
      const report = (why: string) =>
        onWaiting?.(`nothing: the node ${instance.id} stays in cluster ${cluster} (${why})`);
      await deleteNode(accessTo(cluster), instance.id, signal).catch(unlessInterrupted(signal, report));
    },
  };
}

const isAway = (error: unknown) => error instanceof TransientError && error.code === 'cluster/unreachable';

/** Ignores errors of the cluster, so that operations on pools continue without it. */
function unlessInterrupted(
  signal: AbortSignal | undefined,
  report?: (why: string) => void,
): (error: unknown) => undefined {
  return (error) => {
    signal?.throwIfAborted();
    if (!(error instanceof TransientError || error instanceof UserError)) throw error;
    report?.(error.message);
  };
}

/** Transient, so that a run that returns its donor to service retries. */
function orNotRunning(cluster: string): (error: unknown) => never {
  return (cause) => {
    if (!isAway(cause)) throw cause;
    throw new TransientError(
      `cluster ${cluster} is not running, so no node can join it (\`headstart cluster up --name ${cluster}\`)`,
      { code: 'cluster/not-running', cause },
    );
  };
}
