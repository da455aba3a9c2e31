// cli/pool/await-ready.ts: until the node of a new instance is Ready, and why it is not when it is not in time.
import { UserError } from '../../base/errors.ts';
import type { PlaneAccess } from '../../cluster/local/joining.ts';
import type { CallOptions } from '../../vms/factory.ts';
import type { Joining } from '../../vms/qemu/admission.ts';

const LOOK_EVERY_MS = 1_000;

export async function awaitNodeReady(
  access: PlaneAccess,
  { ref }: Joining,
  { signal, onWaiting, deadlineMs }: CallOptions & { deadlineMs: number },
): Promise<void> {
  const { kubernetesCluster } = await import('../../cluster/kubernetes/cluster.ts');
  const cluster = await kubernetesCluster(access);
  const untilMs = access.clock.nowMs() + deadlineMs;
  for (;;) {
    const node = await cluster.readNode(ref.id, signal);
    if (node?.isReady) return;
    if (access.clock.nowMs() >= untilMs)
      throw new UserError(`${ref.id} is not Ready after ${Math.round(deadlineMs / 1000)} s`, {
        code: 'pool/node-not-ready',
        kept: 'The instance and its disk are as they are.',
        next: `read its console with \`headstart pool logs ${ref.id}\``,
        exitCode: 1,
      });
    onWaiting?.(node ? `node ${ref.id} to be Ready` : `node ${ref.id} to register`);
    await access.clock.sleep(LOOK_EVERY_MS, signal);
  }
}
