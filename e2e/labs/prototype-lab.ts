// e2e/labs/prototype-lab.ts: a pool in the simulated Azure with nodes on a real API server, synchronised as kubelets, scheduler and node controller would.
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { agentFiles } from '../../sims/azure/compute/extension-settings.ts';
import type { ScenarioInput } from '../../sims/azure/scenario.ts';
import type { AzureSim } from '../../sims/azure/start.ts';
import { instancesOf, type SimInstance, type SimWorld } from '../../sims/azure/world.ts';
import type { Clock } from '../../src/base/clock.ts';
import { DONOR_FILES, DONOR_ID, DONOR_NAME, makeRoot, pipe, type Shell } from '../../src/clone-check/testing.ts';
import type { ScriptResult } from '../../src/cluster/cluster.ts';
import { type KubeLab, until } from './cluster-lab.ts';

/** Put where secrets are stored; none may appear anywhere else. */
export const CANARIES = {
  clientSecret: 'canary-client-secret-55aa81',
  customData: 'canary-custom-data-7d1e03',
  protectedSettings: 'canary-protected-b20c47',
} as const;

export const CUSTOM_DATA = `#cloud-config\nruncmd: [join, ${CANARIES.customData}]\n`;

const SCRIPT = { name: 'bootstrap', publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript' };
const SCRIPT_SETTINGS = { commandToExecute: `join --token ${CANARIES.protectedSettings}` };

export function poolScenario(name: string, mode: 'Uniform' | 'Flexible', computerNamePrefix: string): ScenarioInput {
  return {
    cluster: 'contract',
    resourceGroup: 'contract',
    scaleSets: [
      {
        name,
        mode,
        instances: 3,
        computerNamePrefix,
        customData: CUSTOM_DATA,
        extensions: [
          { ...SCRIPT, protectedSettings: SCRIPT_SETTINGS },
          {
            name: 'health',
            publisher: 'Microsoft.ManagedServices',
            type: 'ApplicationHealthLinux',
            after: ['bootstrap'],
          },
        ],
        tags: { team: 'payments' },
      },
    ],
  };
}

/** The output of a successful seal. */
export const SEALED: ScriptResult = {
  exitCode: 0,
  stdout: [
    'tools',
    'systemd',
    'kubelet',
    'vm-id',
    'serving-certificate',
    'script',
    'unit',
    'finish-unit',
    'owner',
    'link',
    'drop-in',
  ]
    .map((item) => `${item}=ok\n`)
    .join(''),
  stderr: '',
};

export interface Machine {
  root: string;
  runScript(script: string): ScriptResult;
}

/** The disk of a node as a folder, on which the node's scripts really run. */
export function makeMachine(shell: Shell, nodeName: string, vmId: string, customData?: string): Machine {
  const rename = (text: string) =>
    text.replaceAll(DONOR_NAME, nodeName).replaceAll(DONOR_ID.toUpperCase(), vmId).replaceAll(DONOR_ID, vmId);
  const { '/var/lib/cloud/instances/one/user-data.txt': _, ...rest } = DONOR_FILES;
  const files = Object.fromEntries(Object.entries(rest).map(([path, text]) => [path, rename(text)]));
  const root = makeRoot({
    ...files,
    ...agentFiles([{ ...SCRIPT, protectedSettings: SCRIPT_SETTINGS }]),
    ...(customData !== undefined && { '/var/lib/cloud/instances/one/user-data.txt': customData }),
  });
  return {
    root,
    runScript: (script) => {
      const { code, stdout, stderr } = pipe(shell, onRoot(script, root));
      return { exitCode: code ?? 1, stdout, stderr };
    },
  };
}

/** Both scripts accept another root than `/`, which only tests use. */
function onRoot(script: string, root: string): string {
  const inspecting = (encoded: string) =>
    Buffer.from(Buffer.from(encoded, 'base64').toString().replace("root=''", `root='${root}'`)).toString('base64');
  return script
    .replace('/run/headstart-private', join(tmpdir(), 'headstart-private'))
    .replace(/echo ([\w+/=]+) \| base64 -d/, (_, encoded: string) => `echo ${inspecting(encoded)} | base64 -d`)
    .replace(/ '(seal|unseal)' /, ` '$1' '--root' '${root}' `);
}

export interface BootTimes {
  readyAfterMs: number;
  taintGoesAfterMs: number;
}

export interface JoinedPool {
  pool: { id: string; name: string };
  /** The first is the donor. */
  nodes: string[];
  shop: string;
  /** Updates the nodes from the machines, and schedules pending pods. */
  tend(): Promise<void>;
  leave(): Promise<void>;
}

export const MERGE = setHeaderOptions('Content-Type', PatchStrategy.MergePatch);
export const SHUTDOWN = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };
let serial = 0;

/** Three nodes, and two pods on the first one, with a budget that allows one eviction at a time. */
export async function joinPool(
  kube: KubeLab,
  sim: Pick<AzureSim<Clock>, 'inspect' | 'clock' | 'requests'>,
  times: BootTimes,
): Promise<JoinedPool> {
  const { core } = kube;
  const world = sim.inspect();
  const set = Object.values(world.scaleSets)[0]!;
  const members = instancesOf(world, set);
  const nodes = members.map(({ computerName }) => computerName.toLowerCase());
  for (const [i, member] of members.entries()) {
    await kube.kubelets.addNode(nodes[i]!, { spec: { providerID: providerIdOf(member) } });
    // In the firmware's spelling.
    const status = { nodeInfo: { systemUUID: member.vmId.toUpperCase() } };
    await core.patchNodeStatus({ name: nodes[i]!, body: { status } }, MERGE);
  }
  const shown = new Map(nodes.map((name) => [name, 'true false']));

  async function follow(member: SimInstance, name: string, now: SimWorld): Promise<void> {
    const { isReady, isTainted } = faceOf(now, member, sim, times);
    if (shown.get(name) === `${isReady} ${isTainted}`) return;
    shown.set(name, `${isReady} ${isTainted}`);
    const ready = { type: 'Ready', status: isReady ? 'True' : 'Unknown', lastTransitionTime: new Date().toISOString() };
    await core.patchNodeStatus({ name, body: { status: { conditions: [ready] } } }, MERGE);
    await core.patchNode({ name, body: { spec: { taints: isTainted ? [SHUTDOWN] : null } } }, MERGE);
  }

  const shop = `shop-of-${nodes[0]}-${++serial}`;
  async function schedule(): Promise<void> {
    const { items } = await core.listNamespacedPod({ namespace: shop, fieldSelector: 'spec.nodeName=' });
    if (items.length === 0) return;
    const free = await Promise.all(nodes.map((name) => core.readNode({ name })));
    const home = free.find(({ metadata, spec }) => !spec?.unschedulable && shown.get(metadata!.name!) === 'true false');
    if (!home) return;
    for (const { metadata } of items) {
      const name = metadata!.name!;
      const target = { kind: 'Node', name: home.metadata!.name! };
      await core.createNamespacedPodBinding({ name, namespace: shop, body: { metadata: { name }, target } });
    }
  }

  async function tend(): Promise<void> {
    const now = sim.inspect();
    for (const [i, member] of members.entries()) await follow(member, nodes[i]!, now);
    await schedule();
  }

  await kube.addNamespace(shop);
  const labels = { app: 'shop' };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'any' }] } };
  const selector = { matchLabels: labels };
  await kube.policy.createNamespacedPodDisruptionBudget({
    namespace: shop,
    body: { metadata: { name: 'shop' }, spec: { selector, minAvailable: 1 } },
  });
  await kube.apps.createNamespacedDeployment({
    namespace: shop,
    body: { metadata: { name: 'shop' }, spec: { replicas: 2, selector, template } },
  });
  await until(async () => {
    await schedule();
    const { status } = await kube.policy.readNamespacedPodDisruptionBudget({ name: 'shop', namespace: shop });
    return status?.disruptionsAllowed === 1;
  });

  return {
    pool: { id: set.id, name: set.name },
    nodes,
    shop,
    tend,
    leave: async () => {
      await core.deleteNamespace({ name: shop });
      for (const name of nodes) await core.deleteNode({ name });
    },
  };
}

export function providerIdOf({ mode, scaleSetId, instanceId, id }: SimInstance): string {
  return `azure://${mode === 'Uniform' ? `${scaleSetId}/virtualMachines/${instanceId}` : id}`;
}

/** A node is Ready some time after its machine runs, and the shutdown taint is removed even later. */
export function faceOf(
  now: SimWorld,
  member: SimInstance,
  { clock, requests }: Pick<AzureSim<Clock>, 'clock' | 'requests'>,
  times: BootTimes,
): { isReady: boolean; isTainted: boolean } {
  if (now.instances[member.id.toLowerCase()]?.power !== 'running') return { isReady: false, isTainted: true };
  const start = requests.findLast(({ path }) => path.toLowerCase() === `${member.id}/start`.toLowerCase());
  const upForMs = start ? clock.nowMs() - start.atMs - now.timing.startMs : Number.POSITIVE_INFINITY;
  return { isReady: upForMs >= times.readyAfterMs, isTainted: upForMs < times.taintGoesAfterMs };
}

/** Everything that others can see in the cloud and the cluster: tags, annotations, events. */
export async function publicMarks(kube: KubeLab, sim: Pick<AzureSim<Clock>, 'inspect'>): Promise<string> {
  const { scaleSets, instances, disks, snapshots, galleries, definitions, versions } = sim.inspect();
  const kinds = [scaleSets, instances, disks, snapshots, galleries, definitions, versions];
  const tags = kinds.flatMap((kind) => Object.values<{ name: string; tags: object }>(kind)).map((one) => one.tags);
  const nodes = (await kube.core.listNode({})).items.map(({ metadata }) => metadata);
  const events = (await kube.core.listEventForAllNamespaces({})).items;
  return JSON.stringify({ tags, nodes, events });
}

/** The canaries in plain text and in base64, at any place of a text. */
export function leaks(text: string, others: readonly string[] = []): string[] {
  const base64 = Object.values(CANARIES).flatMap((canary) =>
    [0, 1, 2].map((shift) =>
      Buffer.from(`${' '.repeat(shift)}${canary}`)
        .toString('base64')
        .slice(shift === 0 ? 0 : 4, -4),
    ),
  );
  return [...Object.values(CANARIES), ...base64, ...others].filter((secret) => text.includes(secret));
}
