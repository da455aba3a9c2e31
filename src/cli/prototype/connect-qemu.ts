// cli/prototype/connect-qemu.ts: the pools of this machine, and the cluster their instances are nodes of, or none.
import { systemClock } from '../../base/clock.ts';
import type { ScriptResult } from '../../cluster/cluster.ts';
import { type NoClusterOptions, noCluster } from '../../cluster/none.ts';
import { galleryName } from '../../prototype/names.ts';
import type { Instance } from '../../vms/factory.ts';
import { providerId } from '../../vms/qemu/layout.ts';
import type { QemuFactory } from '../../vms/qemu/local-factory.ts';
import { homeFolder, prototypeFolder } from '../pool/home.ts';
import { type OpenPools, openPools } from '../pool/open-pools.ts';
import type { Edges } from '../verb.ts';
import type { Connected, ConnectOptions } from './connect.ts';
import { connectKubernetes } from './connect-kubernetes.ts';

/** A cluster only where one is named: a kubeconfig that lies around is somebody else's. */
export async function connectQemu(
  options: ConnectOptions,
  edges: Edges,
  open: OpenPools = openPools,
): Promise<Connected> {
  const factory = await open(options, edges);
  const pools = async (signal?: AbortSignal) =>
    (await factory.listPools(signal ? { signal } : {})).map(({ ref }) => ref);
  const gallery = galleryName(options.cluster || 'local');
  if (options.cluster !== false && (options.kubeconfig !== undefined || options.context !== undefined)) {
    return { factory, cluster: await connectKubernetes(options, edges), hasCluster: true, pools, gallery };
  }
  const cluster = noCluster({
    factory,
    pools,
    providerIdOf: providerId,
    folder: prototypeFolder(homeFolder(options, edges.env)),
    clock: systemClock,
    onNote: (note) => edges.stderr(`note: ${note}\n`),
    ...guestsOf(factory),
  });
  return { factory, cluster, hasCluster: false, pools, gallery };
}

/** Through the guest's agent: no network, no key, and nobody in between. */
function guestsOf(factory: QemuFactory): Required<Pick<NoClusterOptions, 'readiness' | 'runScript'>> {
  return {
    async readiness({ ref }, signal) {
      const isReady = await factory.isUp(ref, signal ? { signal } : {});
      const { startedMs } = await factory.placeOf(ref);
      // When the guest came up nobody wrote down; its start is a little earlier.
      return { isReady, ...(isReady && startedMs !== undefined && { readySinceMs: startedMs }) };
    },
    runScript: (instance, script, limits) => runScript(factory, instance, script, limits),
  };
}

async function runScript(
  factory: QemuFactory,
  { ref }: Instance,
  script: string,
  { deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal },
): Promise<ScriptResult> {
  const ran = await factory.runInGuest(ref, ['/bin/sh', '-s'], {
    input: script,
    deadlineMs,
    ...(signal && { signal }),
  });
  return { exitCode: ran.exitCode, stdout: ran.stdout.toString(), stderr: ran.stderr.toString() };
}
