// e2e/labs/expire-lease.ts: lets the Lease of a dead run expire.
import { CoordinationV1Api, KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { leaseName } from '../../src/prototype/names.ts';

export async function expireLease(kubeconfig: string, namespace: string, pool: string): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const name = leaseName(pool);
  const renewTime = '2020-01-01T00:00:00.000000Z';
  await config
    .makeApiClient(CoordinationV1Api)
    .patchNamespacedLease(
      { name, namespace, body: { spec: { renewTime } } },
      setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
    );
}
