// e2e/labs/chart-cluster.ts: a real control plane with a donor in it, and helm to install the chart there.
import type { KubeConfig } from '@kubernetes/client-node';
import { systemClock } from '../../src/base/clock.ts';
import { runCommand } from '../../src/base/command.ts';
import { ensureKube, type KubeTools } from '../programs/ensure-kube.ts';
import { CHART, type Json, POOL, withImage } from './chart-render.ts';
import { type KubeletSim, startKubelets } from './kubelet-sim.ts';
import { type Plane, startPlane } from './plane.ts';

export const DONOR = 'k8s-pool1-12345678-vmss000000';
export const NAMESPACE = 'headstart';
/** The namespace of the Lease, the saved model and the sealing pod: the chart's default. */
export const SHARED = 'kube-system';

export interface ChartCluster {
  tools: KubeTools;
  plane: Plane;
  kubelets: KubeletSim;
  /** Of an administrator. */
  config: KubeConfig;
  /** Its output; throws its error output. */
  kubectl(args: string[], input?: string): Promise<string>;
  /** `chart`: another one than that of the cluster. */
  install(release: string, values: Json, chart?: string): Promise<string>;
  upgrade(release: string, values: Json): Promise<string>;
  uninstall(release: string): Promise<string>;
  stop(): Promise<void>;
}

/** `ownChart`: a folder or a packaged file. */
export async function startChartCluster(ownChart = CHART): Promise<ChartCluster> {
  const tools = await ensureKube();
  const plane = await startPlane(tools);
  const kubelets = await startKubelets(plane);
  const providerID = `azure://${POOL.id}/virtualMachines/0`;
  await kubelets.addNode(DONOR, { spec: { providerID } });
  await kubelets.addNode('other-node');
  const { CoreV1Api, KubeConfig } = await import('@kubernetes/client-node');
  const config = new KubeConfig();
  config.loadFromFile(plane.kubeconfig);
  const core = config.makeApiClient(CoreV1Api);
  await core.createNamespace({ body: { metadata: { name: NAMESPACE } } });
  for (const namespace of [NAMESPACE, SHARED]) {
    await until(`the default account of ${namespace}`, () =>
      core.readNamespacedServiceAccount({ name: 'default', namespace }),
    );
  }

  async function run(program: string, args: string[], input = ''): Promise<string> {
    const ran = await runCommand([program, ...args, '--kubeconfig', plane.kubeconfig], { timeoutMs: 60_000, input });
    if (ran.code !== 0) throw new Error(`${program} ${args.join(' ')}: ${ran.stderr}`);
    return ran.stdout.toString();
  }
  const apply =
    (order: 'install' | 'upgrade') =>
    (release: string, values: Json, chart = ownChart) =>
      run(
        tools.helm,
        [order, release, chart, '--namespace', NAMESPACE, '--values', '-'],
        JSON.stringify(withImage(values)),
      );

  return {
    tools,
    plane,
    kubelets,
    config,
    kubectl: (args, input) => run(tools.kubectl, args, input),
    install: apply('install'),
    upgrade: apply('upgrade'),
    uninstall: (release) => run(tools.helm, ['uninstall', release, '--namespace', NAMESPACE, '--wait']),
    stop: async () => {
      await kubelets.stop();
      await plane.stop();
    },
  };
}

const DEADLINE_MS = 30_000;

/** Repeats `look` until it returns a value; errors count as no value. */
export async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
  const untilMs = Date.now() + DEADLINE_MS;
  for (;;) {
    const found = await look().catch(() => undefined);
    if (found !== undefined && found !== false) return found;
    if (Date.now() > untilMs) throw new Error(`not seen in time: ${what}`);
    await systemClock.sleep(50);
  }
}
