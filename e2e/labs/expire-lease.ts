// e2e/labs/expire-lease.ts: lets the Lease of a dead run expire.
import { CoordinationV1Api, KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';

export async function expireLease(kubeconfig: string, namespace: string, pool: string): Promise<void> {
  const config = new KubeConfig();
  config.loadFromFile(kubeconfig);
  const leases = config.makeApiClient(CoordinationV1Api);
  const renewTime = '2020-01-01T00:00:00.000000Z';
  const names = (await leases.listNamespacedLease({ namespace })).items.map(({ metadata }) => metadata?.name ?? '');
  // Its name ends with a hash of the pool's id.
  const [name, ...others] = names.filter((one) => one.startsWith(`headstart-prototype-${pool}-`));
  if (name === undefined || others.length > 0) throw new Error(`expected one lease of ${pool}, got ${names.join()}`);
  await leases.patchNamespacedLease(
    { name, namespace, body: { spec: { renewTime } } },
    setHeaderOptions('Content-Type', PatchStrategy.MergePatch),
  );
}
