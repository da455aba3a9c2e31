// cluster/none.ts: the cluster of a pool that has none: lock files for the Lease, tags for annotations, nothing to drain, and it says so.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import { writeFileAtomic } from '../base/files.ts';
import type { Factory, Instance, PoolRef } from '../vms/factory.ts';
import { Conflict } from '../vms/failures.ts';
import type { Cluster, Node, ScriptResult } from './cluster.ts';
import { LockFiles } from './lock-file.ts';
import { annotationsOf, CORDON_TAG, tagsOf } from './none-tags.ts';

export interface NoClusterOptions {
  factory: Pick<Factory, 'listInstances' | 'readInstance' | 'tagInstance'>;
  pool: PoolRef;
  /** For locks and saved recipes; closed to other users. */
  folder: string;
  clock: Clock;
  /** Told once of each thing that there is nothing to do about. */
  onNote?: (note: string) => void;
  /** Another way to run a script on an instance as root (ssh, the cloud's run-command). */
  runScript?: (
    instance: Instance,
    script: string,
    options: { deadlineMs: number; signal?: AbortSignal },
  ) => Promise<ScriptResult>;
}

/** A node's name is its instance's computer name. */
export function noCluster({ factory, pool, folder, clock, onNote, runScript }: NoClusterOptions): Cluster {
  const locks = new LockFiles(folder);
  const told = new Set<string>();
  const tell = (note: string) => {
    if (!told.has(note)) onNote?.(note);
    told.add(note);
  };

  async function find(name: string, signal?: AbortSignal): Promise<Instance | undefined> {
    const instances = await factory.listInstances(pool, options(signal));
    return instances.find((instance) => instance.computerName === name);
  }

  return {
    readNode: async (name, signal) => {
      const instance = await find(name, signal);
      return instance && nodeOf(instance);
    },
    listNodes: async (signal) => (await factory.listInstances(pool, options(signal))).map(nodeOf),
    changeNode: async (node, change, signal) => {
      const instance = await find(node.name, signal);
      if (!instance || nodeOf(instance).resourceVersion !== node.resourceVersion) {
        throw new Conflict(`${node.name} changed since it was read`);
      }
      const tags = tagsOf(change.annotations ?? {}, instance.tags);
      if (change.isUnschedulable !== undefined) {
        tell(`${pool.name} has no cluster: there is nothing to cordon, ${node.name} is only marked`);
        tags[CORDON_TAG] = change.isUnschedulable ? 'true' : null;
      }
      await factory.tagInstance(instance.ref, tags, options(signal));
    },
    listPods: async () => {
      tell(`${pool.name} has no cluster: there is nothing to drain`);
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

    runOnNode: async (nodeName, script, limits) => {
      const instance = await find(nodeName, limits.signal);
      if (!runScript || !instance) throw noWay(nodeName);
      return runScript(instance, script, limits);
    },
    recordEvent: async () => {},
  };
}

function options(signal: AbortSignal | undefined): { signal?: AbortSignal } {
  return signal ? { signal } : {};
}

function nodeOf(instance: Instance): Node {
  const annotations = annotationsOf(instance.tags);
  const isUnschedulable = instance.tags[CORDON_TAG] === 'true';
  return {
    name: instance.computerName,
    uid: instance.vmId,
    // What a change is conditional on; the lock keeps other runs out between the look and the write.
    resourceVersion: createHash('sha256')
      .update(JSON.stringify([instance.vmId, isUnschedulable, Object.entries(annotations).sort()]))
      .digest('hex'),
    providerId: instance.ref.id,
    isUnschedulable,
    isReady: instance.power === 'running',
    troubles: [],
    annotations,
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

function noWay(nodeName: string): UserError {
  return new UserError(`there is no way to run a script on ${nodeName}: the pool has no cluster`, {
    code: 'cluster/no-channel',
    kept: 'Nothing was changed.',
    next: 'name a channel to the node, or give the cluster with --kubeconfig',
    exitCode: 1,
  });
}
