// cluster/kubernetes/park-node.ts: keep workloads off a node that will be parked, and create its Node again when it is claimed.
import type { V1Node, V1Taint } from '@kubernetes/client-node';
import { z } from 'zod';
import type { CallOptions } from '../../base/call-options.ts';
import { TransientError, UserError } from '../../base/errors.ts';
import { Conflict } from '../../base/failures.ts';
import { type Client, MERGE_PATCH } from './connect.ts';

/** On a node that is being prepared for standby, or that has not applied its document yet. */
export const PARKED_TAINT = 'headstart.dev/parked';

const texts = z.record(z.string(), z.string());
/** What is needed to create a Node again. */
const seedSchema = z.object({
  providerId: z.string(),
  labels: texts,
  annotations: texts,
  taints: z.array(z.object({ key: z.string(), value: z.string().exactOptional(), effect: z.string() })),
});
export type NodeSeed = z.infer<typeof seedSchema>;

/** A new Node is not schedulable for about a second, until the cluster has seen it Ready: this is often enough to be first. */
const LOOK_EVERY_MS = 100;
const CREATE_MS = 60_000;
const RETRY_MS = 200;

type NodeClient = Pick<Client, 'core' | 'call' | 'find' | 'clock'>;

/** Waits until the node registers, then adds the taint. */
export async function reserveNode(client: NodeClient, name: string, { signal }: CallOptions): Promise<void> {
  for (;;) {
    const node = await findNode(client, name, signal).catch(orWait);
    if (node && (hasTaint(node) || (await addTaint(client, node, signal)))) return;
    await client.clock.sleep(LOOK_EVERY_MS, signal);
  }
}

/** The seed of a reserved node. Throws when pods run on it that a DaemonSet does not own: parking would stop them. */
export async function readNodeSeed(client: NodeClient, name: string, { signal }: CallOptions): Promise<NodeSeed> {
  const { core, call } = client;
  const node = await findNode(client, name, signal);
  if (!node || !hasTaint(node))
    throw notParkable(name, 'its Node was deleted, or lost its taint, while it was prepared');
  const request = { verb: 'list', resource: 'pods' };
  const fieldSelector = `spec.nodeName=${name}`;
  const { items } = await call(request, (options) => core.listPodForAllNamespaces({ fieldSelector }, options), {
    signal,
  });
  const others = items
    .filter(({ metadata }) => !metadata?.ownerReferences?.some(({ kind }) => kind === 'DaemonSet'))
    .filter(({ metadata }) => metadata?.annotations?.['kubernetes.io/config.mirror'] === undefined)
    .filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
    .map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
  if (others.length > 0) throw notParkable(name, `pods run on it: ${others.slice(0, 3).join(', ')}`);
  return seedOf(node);
}

/** Labels, taints and the provider id are as kubelet registered them; conditions and addresses are kubelet's next report. */
export function seedOf({ metadata, spec }: V1Node): NodeSeed {
  return {
    providerId: spec?.providerID ?? '',
    labels: metadata?.labels ?? {},
    annotations: withoutControllers(metadata?.annotations ?? {}),
    taints: (spec?.taints ?? []).filter(isLasting).map(({ key, value, effect }) => ({
      key,
      effect,
      ...(value !== undefined && { value }),
    })),
  };
}

/** Continues while the API server is unavailable, for a minute. A Node that exists gets or loses the taint. */
export async function createParkedNode(
  client: NodeClient,
  name: string,
  seed: unknown,
  { signal, onWaiting, held }: CallOptions & { held: boolean },
): Promise<void> {
  const { core, call, clock } = client;
  const checked = seedSchema.safeParse(seed);
  if (!checked.success)
    throw new UserError(`node ${name} was written down by another version of headstart, or its record is damaged`, {
      code: 'cluster/bad-seed',
      exitCode: 1,
      cause: checked.error,
    });
  const body = nodeOf(name, checked.data, { held, now: new Date(clock.nowMs()) });
  const untilMs = clock.nowMs() + CREATE_MS;
  for (;;) {
    try {
      await call({ verb: 'create', resource: 'nodes', name }, (options) => core.createNode({ body }, options), {
        signal,
      });
      return;
    } catch (error) {
      // It could not be removed when the instance was parked, or an earlier request succeeded without an answer.
      const isThere = error instanceof Conflict;
      if (isThere && (await setHeld(client, name, { held, signal }).catch(orWait))) return;
      if (!(isThere || error instanceof TransientError) || clock.nowMs() >= untilMs) throw error;
      onWaiting?.(`the API server, to create node ${name}`);
      await clock.sleep(RETRY_MS, signal);
    }
  }
}

/** kubelet changes only a Ready condition that exists. */
export function nodeOf(name: string, seed: NodeSeed, { held, now }: { held: boolean; now: Date }): V1Node {
  const taints: V1Taint[] = [...seed.taints, ...(held ? [TAINT] : [])];
  return {
    metadata: { name, labels: seed.labels, annotations: seed.annotations },
    spec: { providerID: seed.providerId, ...(taints.length > 0 && { taints }) },
    status: {
      conditions: [
        {
          type: 'Ready',
          status: 'False',
          reason: 'Claimed',
          message: 'a standby node continues',
          lastHeartbeatTime: now,
          lastTransitionTime: now,
        },
      ],
    },
  };
}

export async function releaseNode(client: NodeClient, name: string, { signal }: CallOptions): Promise<void> {
  for (;;) {
    const node = await findNode(client, name, signal);
    if (!node || !hasTaint(node)) return;
    const rest = (node.spec?.taints ?? []).filter(({ key }) => key !== PARKED_TAINT);
    if (await setTaints(client, node, rest, signal)) return;
    await client.clock.sleep(RETRY_MS, signal);
  }
}

/** False when the node has changed or does not exist any more. */
async function setHeld(
  client: NodeClient,
  name: string,
  { held, signal }: CallOptions & { held: boolean },
): Promise<boolean> {
  const node = await findNode(client, name, signal);
  if (!node) return false;
  if (hasTaint(node) === held) return true;
  const others = (node.spec?.taints ?? []).filter(({ key }) => key !== PARKED_TAINT);
  return setTaints(client, node, held ? [...others, TAINT] : others, signal);
}

const TAINT: V1Taint = { key: PARKED_TAINT, effect: 'NoSchedule' };

const hasTaint = ({ spec }: V1Node) => (spec?.taints ?? []).some(({ key }) => key === PARKED_TAINT);

/** The cluster's own taints (`node.kubernetes.io/not-ready`) follow the state of the node. */
const isLasting = ({ key }: V1Taint) => key !== PARKED_TAINT && !key.startsWith('node.kubernetes.io/');

/** Controllers write these again for a new Node. */
function withoutControllers(annotations: Record<string, string>): Record<string, string> {
  const own = Object.entries(annotations).filter(
    ([key]) => !/^(node\.alpha|volumes|csi\.volume)\.kubernetes\.io\//.test(key),
  );
  return Object.fromEntries(own);
}

function findNode({ core, find }: NodeClient, name: string, signal: AbortSignal | undefined) {
  const request = { verb: 'get', resource: 'nodes', name };
  return find(request, (options) => core.readNode({ name }, options), { signal });
}

const addTaint = (client: NodeClient, node: V1Node, signal: AbortSignal | undefined) =>
  setTaints(client, node, [...(node.spec?.taints ?? []), TAINT], signal);

/** False when the node has changed since it was read. */
async function setTaints(
  { core, call }: NodeClient,
  { metadata }: V1Node,
  taints: V1Taint[],
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const name = metadata?.name ?? '';
  const body = { metadata: { uid: metadata?.uid, resourceVersion: metadata?.resourceVersion }, spec: { taints } };
  try {
    await call({ verb: 'patch', resource: 'nodes', name }, (options) => core.patchNode({ name, body }, options), {
      signal,
      contentType: MERGE_PATCH,
    });
    return true;
  } catch (error) {
    if (error instanceof Conflict || error instanceof TransientError) return false;
    throw error;
  }
}

function orWait(error: unknown): undefined {
  if (!(error instanceof TransientError)) throw error;
}

function notParkable(name: string, why: string): UserError {
  return new UserError(`node ${name} cannot be parked: ${why}`, { code: 'cluster/not-parkable', exitCode: 1 });
}
