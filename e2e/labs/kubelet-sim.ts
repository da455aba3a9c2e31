// e2e/labs/kubelet-sim.ts: a simulated kubelet: starts and ends pods in the API, and answers scripts with a callback.
import { createServer } from 'node:https';
import type { CoreV1Api, V1Node, V1Pod } from '@kubernetes/client-node';
import { type Clock, systemClock } from '../../src/base/clock.ts';
import { errorResponseOf } from '../../src/cluster/kubernetes/failures.ts';
import { HELPER_CONTAINER, HELPER_LABEL } from '../../src/cluster/kubernetes/helper-pod.ts';
import { type FramedOutput, renderFrame } from '../../src/cluster/kubernetes/run-frame.ts';
import type { Plane } from './plane.ts';

/** Faults of a pod. Each is evaluated for every pod in every round. */
export interface KubeletDials {
  /** It does not terminate. */
  neverEnds(pod: V1Pod): boolean;
  /** It runs but is not ready. */
  neverReady(pod: V1Pod): boolean;
  /** It does not start, for this reason (`ImagePullBackOff`). */
  cannotStart(pod: V1Pod): string | undefined;
  /** The log of a helper is truncated. */
  cutsLog(pod: V1Pod): boolean;
  runScript(nodeName: string, script: string): FramedOutput | Promise<FramedOutput>;
}

export interface KubeletSim {
  dials: KubeletDials;
  /** A Ready Linux node, merged with `more`. */
  addNode(name: string, more?: V1Node): Promise<void>;
  /** Throws the error of its loop. */
  stop(): Promise<void>;
}

const POLL_MS = 100;

export async function startKubelets(plane: Plane, clock: Clock = systemClock): Promise<KubeletSim> {
  const library = await import('@kubernetes/client-node');
  const config = new library.KubeConfig();
  config.loadFromFile(plane.kubeconfig);
  const core = config.makeApiClient(library.CoreV1Api);
  const merge = library.setHeaderOptions('Content-Type', library.PatchStrategy.MergePatch);

  const logs = new Map<string, string>();
  const server = await serveLogs(plane, logs);
  const stopping = new AbortController();
  const taken = new Set<string>();
  const dials: KubeletDials = {
    neverEnds: () => false,
    neverReady: () => false,
    cannotStart: () => undefined,
    cutsLog: () => false,
    runScript: () => ({ exitCode: 0, stdout: '', stderr: '' }),
  };

  async function setStatus(pod: V1Pod, status: object): Promise<void> {
    const { name, namespace } = nameOf(pod);
    await core.patchNamespacedPodStatus(
      { name, namespace, body: { metadata: { uid: pod.metadata?.uid }, status } },
      merge,
    );
  }

  async function startPod(pod: V1Pod): Promise<void> {
    const reason = dials.cannotStart(pod);
    if (reason !== undefined) return setStatus(pod, waiting(pod, reason));
    taken.add(pod.metadata?.uid ?? '');
    if (pod.metadata?.labels?.[HELPER_LABEL] === undefined) return setStatus(pod, running(pod, !dials.neverReady(pod)));
    await setStatus(pod, running(pod, true));
    const frame = renderFrame(
      await dials.runScript(pod.spec?.nodeName ?? '', pod.spec?.containers[0]?.args?.at(-1) ?? ''),
    );
    const { name, namespace } = nameOf(pod);
    logs.set(
      `/containerLogs/${namespace}/${name}/${HELPER_CONTAINER}`,
      dials.cutsLog(pod) ? frame.slice(0, frame.length / 2) : frame,
    );
    await setStatus(pod, ended(pod));
  }

  async function endPod(pod: V1Pod): Promise<void> {
    if (dials.neverEnds(pod)) return;
    const { name, namespace } = nameOf(pod);
    const body = { gracePeriodSeconds: 0, preconditions: { uid: pod.metadata?.uid ?? '' } };
    await core.deleteNamespacedPod({ name, namespace, body });
  }

  /** One round; a slow script must not delay the other pods. */
  async function look(busy: Set<string>, fail: (error: unknown) => void): Promise<void> {
    const { items } = await core.listPodForAllNamespaces({ fieldSelector: 'spec.nodeName!=' });
    for (const pod of items) {
      const uid = pod.metadata?.uid ?? '';
      const work = workOn(pod, taken);
      if (work === 'none' || busy.has(`${work} ${uid}`)) continue;
      busy.add(`${work} ${uid}`);
      (work === 'end' ? endPod(pod) : startPod(pod))
        .catch((error: unknown) => isStale(error) || fail(error))
        .finally(() => busy.delete(`${work} ${uid}`));
    }
  }

  let failure: unknown;
  const looking = (async () => {
    const busy = new Set<string>();
    while (!stopping.signal.aborted) {
      await look(busy, (error) => {
        failure ??= error;
      });
      await clock.sleep(POLL_MS, stopping.signal).catch(() => undefined);
    }
  })().catch((error: unknown) => {
    failure ??= error;
  });

  return {
    dials,
    addNode: (name, more = {}) => addNode(core, merge, name, server.port, more),
    stop: async () => {
      stopping.abort();
      await looking;
      await server.close();
      if (failure !== undefined) throw failure;
    },
  };
}

function workOn(pod: V1Pod, taken: ReadonlySet<string>): 'start' | 'end' | 'none' {
  if (pod.metadata?.deletionTimestamp) return 'end';
  const isNew = pod.status?.phase === 'Pending' && !taken.has(pod.metadata?.uid ?? '');
  return isNew ? 'start' : 'none';
}

/** The pod was deleted or replaced between the read and the write. */
function isStale(error: unknown): boolean {
  return [404, 409, 422].includes(errorResponseOf(error)?.status ?? 0);
}

function nameOf(pod: V1Pod): { name: string; namespace: string } {
  return { name: pod.metadata?.name ?? '', namespace: pod.metadata?.namespace ?? '' };
}

const imagesOf = (pod: V1Pod) => (pod.spec?.containers ?? []).map(({ name, image = '' }) => ({ name, image }));

function waiting(pod: V1Pod, reason: string): object {
  const containerStatuses = imagesOf(pod).map((one) => ({
    ...one,
    imageID: '',
    ready: false,
    restartCount: 0,
    state: { waiting: { reason } },
  }));
  return { phase: 'Pending', containerStatuses };
}

function running(pod: V1Pod, isReady: boolean): object {
  const status = isReady ? 'True' : 'False';
  return {
    phase: 'Running',
    podIP: '10.1.0.1',
    conditions: ['Initialized', 'PodScheduled', 'ContainersReady', 'Ready'].map((type) => ({
      type,
      status: type.endsWith('Ready') ? status : 'True',
      lastTransitionTime: new Date().toISOString(),
    })),
    containerStatuses: imagesOf(pod).map((one) => ({
      ...one,
      imageID: one.image,
      ready: isReady,
      restartCount: 0,
      state: { running: { startedAt: new Date().toISOString() } },
    })),
  };
}

function ended(pod: V1Pod): object {
  const containerStatuses = imagesOf(pod).map((one) => ({
    ...one,
    imageID: one.image,
    ready: false,
    restartCount: 0,
    state: { terminated: { exitCode: 0 } },
  }));
  return { phase: 'Succeeded', containerStatuses };
}

async function addNode(
  core: CoreV1Api,
  merge: Parameters<CoreV1Api['patchNode']>[1],
  name: string,
  port: number,
  more: V1Node,
): Promise<void> {
  const metadata = { ...more.metadata, name, labels: { 'kubernetes.io/os': 'linux', ...more.metadata?.labels } };
  await core.createNode({ body: { apiVersion: 'v1', kind: 'Node', metadata, ...(more.spec && { spec: more.spec }) } });
  // Admission taints a new node until the lifecycle controller, which does not run here, sees it Ready.
  await core.patchNode({ name, body: { spec: { taints: more.spec?.taints ?? null } } }, merge);
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: new Date().toISOString() }],
    nodeInfo: { ...NODE_INFO, systemUUID: '', machineID: '' },
    ...more.status,
  };
  await core.patchNodeStatus({ name, body: { status } }, merge);
}

const NODE_INFO = {
  architecture: 'amd64',
  bootID: '',
  containerRuntimeVersion: 'containerd://2.1.4',
  kernelVersion: '6.1.0-54-cloud-amd64',
  kubeProxyVersion: '',
  kubeletVersion: 'v1.35.8',
  operatingSystem: 'linux',
  osImage: 'Debian GNU/Linux 12 (bookworm)',
};

/** The API server fetches logs from the kubelet itself. */
async function serveLogs(
  plane: Plane,
  logs: ReadonlyMap<string, string>,
): Promise<{ port: number; close(): Promise<void> }> {
  const server = createServer(plane.serving, (request, response) => {
    const log = logs.get(new URL(request.url ?? '/', 'https://kubelet').pathname);
    response.writeHead(log === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(log);
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () =>
      new Promise((done) => {
        server.close(() => done());
        server.closeAllConnections();
      }),
  };
}
