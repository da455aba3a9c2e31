// cli/compose/guest-scripts.ts: how does a script run in a guest on this machine? Through the guest agent: no network, no key, no pod.
import { NotFound } from '../../base/failures.ts';
import type { Cluster, ScriptResult } from '../../cluster/cluster.ts';
import type { NoClusterOptions } from '../../cluster/none.ts';
import type { InstanceRef } from '../../vms/pools.ts';
import type { QemuProvider } from '../../vms/qemu/local-provider.ts';

/** The cluster's `runOnNode`, without a pod. */
export function throughAgent(provider: QemuProvider, { readNode }: Cluster): Cluster['runOnNode'] {
  return async (name, script, limits) => {
    const node = await readNode(name, limits.signal);
    if (!node) throw new NotFound(`node ${name}`);
    const ref = await provider.pools.locate(node.providerId, limits.signal ? { signal: limits.signal } : {});
    return runScript(provider, ref, script, limits);
  };
}

/** How a pool without a cluster checks its guests and runs scripts in them. */
export function guestsOf(provider: QemuProvider): Required<Pick<NoClusterOptions, 'readiness' | 'runScript'>> {
  return {
    async readiness({ ref }, signal) {
      const isReady = await provider.guests.isUp(ref, signal ? { signal } : {});
      const { startedMs } = await provider.guests.readDetails(ref);
      // Nothing records when the guest came up; its start is a little earlier.
      return { isReady, ...(isReady && startedMs !== undefined && { readySinceMs: startedMs }) };
    },
    runScript: ({ ref }, script, limits) => runScript(provider, ref, script, limits),
  };
}

async function runScript(
  provider: QemuProvider,
  ref: InstanceRef,
  script: string,
  { deadlineMs, signal }: { deadlineMs: number; signal?: AbortSignal },
): Promise<ScriptResult> {
  const ran = await provider.guests.runInGuest(ref, ['/bin/sh', '-s'], {
    input: script,
    deadlineMs,
    ...(signal && { signal }),
  });
  return { exitCode: ran.exitCode, stdout: ran.stdout.toString(), stderr: ran.stderr.toString() };
}
