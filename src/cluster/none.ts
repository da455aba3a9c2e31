// cluster/none.ts: the contract for a pool without a cluster: lock files instead of a Lease, tags instead of annotations, no drain.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import { Conflict, NotFound } from '../base/failures.ts';
import { writeFileAtomic } from '../base/files.ts';
import type { InstanceRef, ListedInstance, PoolRef, Pools } from '../vms/pools.ts';
import type { Cluster, Node, ScriptResult } from './cluster.ts';
import { LockFiles } from './lock-file.ts';
import { annotationsOf, annotationTags, CORDON_TAG } from './none-tags.ts';

export interface NoClusterOptions {
  instances: Pick<Pools, 'listInstances' | 'readInstance' | 'tagInstance'>;
  /** Their instances are the nodes. */
  pools(signal?: AbortSignal): Promise<readonly PoolRef[]>;
  /** The provider id by which an instance is located. */
  providerIdOf(instance: InstanceRef): string;
  /** For locks and saved models; not readable by other users. */
  folder: string;
  clock: Clock;
  /** Called once for each step that has no effect without a cluster. */
  onNote?: (note: string) => void;
  /** Whether the guest of a running instance is up, and since when; power alone does not show that. */
  readiness?: (instance: ListedInstance, signal?: AbortSignal) => Promise<Readiness>;
  /** Another way to run a script on an instance as root (ssh, the cloud's run-command). */
  runScript?: (
    instance: ListedInstance,
    script: string,
    options: { deadlineMs: number; signal?: AbortSignal },
  ) => Promise<ScriptResult>;
}

export type Readiness = Pick<Node, 'isReady' | 'readySinceMs'>;

/** A node's name is its instance's computer name. */
export function noCluster(given: NoClusterOptions): Cluster {
  const { instances, pools, providerIdOf, folder, clock, onNote, readiness, runScript } = given;
  const locks = new LockFiles(folder);
  const noted = new Set<string>();
  const refs = new Map<string, InstanceRef>();
  const noteOnce = (note: string) => {
    if (!noted.has(note)) onNote?.(note);
    noted.add(note);
  };

  async function listAll(signal?: AbortSignal): Promise<ListedInstance[]> {
    const all = (await pools(signal)).map((pool) => instances.listInstances(pool, { signal }));
    return (await Promise.all(all)).flat();
  }

  /** A run looks at its donor every few seconds: only the first look lists the pools. */
  async function find(name: string, signal?: AbortSignal): Promise<ListedInstance | undefined> {
    const ref = refs.get(name);
    const known = ref && (await instances.readInstance(ref, { signal }));
    if (known?.computerName === name) return known;
    const found = (await listAll(signal)).find((instance) => instance.computerName === name);
    if (found) refs.set(name, found.ref);
    return found;
  }

  async function toNode(instance: ListedInstance, signal?: AbortSignal): Promise<Node> {
    const isOn = instance.power === 'running';
    const ready = isOn && readiness ? await readiness(instance, signal) : { isReady: isOn };
    return { ...nodeOf(instance, providerIdOf(instance.ref)), ...ready };
  }

  return {
    readNode: async (name, signal) => {
      const instance = await find(name, signal);
      return instance && toNode(instance, signal);
    },
    listNodes: async (signal) => Promise.all((await listAll(signal)).map((instance) => toNode(instance, signal))),
    changeNode: async (node, change, signal) => {
      const instance = await find(node.name, signal);
      if (!instance || revisionOf(instance) !== node.resourceVersion) {
        throw new Conflict(`${node.name} changed since it was read`);
      }
      const tags = annotationTags(change.annotations ?? {}, instance.tags);
      if (change.isUnschedulable !== undefined) {
        noteOnce(`${node.name} is in no cluster: there is nothing to cordon, it is only marked`);
        tags[CORDON_TAG] = change.isUnschedulable ? 'true' : null;
      }
      await instances.tagInstance(instance.ref, tags, { signal });
    },
    listPods: async (nodeName) => {
      noteOnce(`${nodeName} is in no cluster: there is nothing to drain`);
      return [];
    },
    evict: async () => ({ outcome: 'gone' }),
    deletePod: async () => {},

    readLease: async (name) => locks.read(name),
    holdLease: async (name, lease) => locks.hold(name, lease, clock.nowMs()),
    releaseLease: async (name, holder) => locks.release(name, holder),

    readSecret: async (name) => {
      try {
        return JSON.parse(readFileSync(join(folder, `${name}.json`), 'utf8')) as Record<string, string>;
      } catch (error) {
        if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
        throw error;
      }
    },
    writeSecret: async (name, values) => {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writeFileAtomic(join(folder, `${name}.json`), JSON.stringify(values), 0o600);
    },
    deleteSecret: async (name) => rmSync(join(folder, `${name}.json`), { force: true }),
    readBootstrapToken: async () => undefined, // there is no cluster

    runOnNode: async (nodeName, script, limits) => {
      const instance = await find(nodeName, limits.signal);
      if (!instance) throw new NotFound(`instance ${nodeName}`);
      if (!runScript) throw noChannel(nodeName);
      return runScript(instance, script, limits);
    },
    recordEvent: async () => {},
  };
}

/** The condition of a change; the lock keeps other runs out between read and write. */
function revisionOf({ vmId, tags }: ListedInstance): string {
  const annotations = Object.entries(annotationsOf(tags)).sort();
  return createHash('sha256')
    .update(JSON.stringify([vmId, tags[CORDON_TAG] === 'true', annotations]))
    .digest('hex');
}

function nodeOf(instance: ListedInstance, providerId: string): Omit<Node, keyof Readiness> {
  return {
    name: instance.computerName,
    uid: instance.vmId,
    resourceVersion: revisionOf(instance),
    providerId,
    isUnschedulable: instance.tags[CORDON_TAG] === 'true',
    troubles: [],
    annotations: annotationsOf(instance.tags),
    labels: {},
    taints: [],
    os: 'linux',
    architecture: '',
    osImage: '',
    kernelVersion: '',
    kubeletVersion: '',
    machineId: '',
    systemUuid: instance.vmId,
  };
}

function noChannel(nodeName: string): UserError {
  return new UserError(`there is no way to run a script on ${nodeName}: the pool has no cluster`, {
    code: 'cluster/no-channel',
    next: 'add --over-ssh or --over-ssh USER@HOST; or, if the pool belongs to a cluster, give --kubeconfig FILE in place of --no-cluster',
    exitCode: 1,
  });
}
