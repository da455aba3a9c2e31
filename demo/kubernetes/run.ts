// demo/kubernetes/run.ts: the whole loop on real nodes of a real cluster: three kinds of nodes and how long each takes, pods that are evicted
// and rescheduled, a change in place, a change that the node rolls back, and a standby node that is claimed.
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { V1Node } from '@kubernetes/client-node';
import { cacheFolder } from '../../e2e/programs/ensure-helm.ts';
import { runCommand } from '../../src/base/command.ts';
import { formatSpan } from '../../src/base/duration.ts';
import { median } from '../../src/boot/model/noise.ts';
import { renderTable } from '../../src/cli/output/table.ts';
import { BUILT_VERSION, programsFolder } from '../../src/cluster/local/programs/programs.ts';
import { instancesOf } from '../boots.ts';
import { readIdentity, sharedIdentifiers } from '../identity.ts';
import { onInterruption, tellFailure } from '../interruption.ts';
import { openStage, type Stage } from '../stage.ts';
import { bootOneMore, type NodeBoot, removeNewest } from './boots.ts';
import { isReady, type KubeCluster, raiseCluster } from './cluster.ts';
import { BAD_CHANGE, CHANGE } from './image-node.ts';
import { genericPoolOptions, imagePoolOptions, writeDocument } from './pool-options.ts';
import { readyAfterMs } from './ready-after.ts';
import { claimOne } from './standby.ts';
import { homeOf, type KubeWorkshop, openKubeWorkshop } from './workshop.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Boots of each kind after the first, alternating. */
const MORE_BOOTS = process.env.QUICK === '1' ? 0 : 2;
/** A pool for each kind of node; the second is the first pool after its prototype was made. */
const [GENERIC, PROTOTYPE, IMAGE, STANDBY] = ['generic', 'prototype', 'image', 'standby'] as const;
type Kind = typeof GENERIC | typeof PROTOTYPE | typeof IMAGE | typeof STANDBY;
type Boot = NodeBoot & { kind: Kind };

const signal = onInterruption();
let workshop: KubeWorkshop | undefined;
try {
  const folder = join(root, 'out', 'demo-kubernetes');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const home = homeOf('demo-kubernetes', root);
  workshop = await openKubeWorkshop(home, signal);
  await play(openStage({ root, folder, home, signal }), workshop);
} catch (error) {
  tellFailure(error, signal);
} finally {
  await workshop?.close();
}

async function play(stage: Stage, shop: KubeWorkshop): Promise<void> {
  const { home } = shop;
  const hello = shop.images.hello.name;
  const boots: Boot[] = [];
  // By kind: the first boot of a pool with a prototype is the boot of a generic node.
  const bundleOf = (kind: Kind) => join(stage.folder, `${kind}.tar.gz`);
  const collect = async (kind: Kind, instance: string) => {
    await stage.brief('boot', 'collect', '--instance', instance, '-o', bundleOf(kind));
    return bundleOf(kind);
  };

  stage.act('1. a control plane on this machine');
  const cluster = await raiseCluster(stage);

  stage.act('2. a generic node: packages, kubelet and images fetched and installed on its first boot');
  const recipe = genericPoolOptions(stage, shop, cluster);
  await stage.headstart('pool', 'create', PROTOTYPE, '--count', '1', ...recipe);
  const [donor = ''] = await instancesOf(stage, PROTOTYPE);
  boots.push({ kind: GENERIC, instance: donor, readyMs: await readyAfterMs(stage, home, PROTOTYPE, donor) });
  const generic = await collect(GENERIC, donor);
  await stage.headstart('boot', 'timeline', '-i', generic);
  await stage.headstart('boot', 'chain', '-i', generic);
  // One at a time: on two cores, two guests at once would slow each other down.
  await stage.headstart('pool', 'stop', donor);

  stage.act('3. a node from our image, configured from its metadata');
  await stage.headstart('pool', 'create', IMAGE, '--count', '1', ...(await imagePoolOptions(stage, shop, cluster)));
  const [imageNode = ''] = await instancesOf(stage, IMAGE);
  boots.push({ kind: IMAGE, instance: imageNode, readyMs: await readyAfterMs(stage, home, IMAGE, imageNode) });
  await stage.headstart('boot', 'chain', '-i', await collect(IMAGE, imageNode));

  stage.act('4. the generic node becomes the prototype: it is drained within the budget, and returns to service');
  await stage.headstart('pool', 'start', donor);
  await cluster.deployHello(hello);
  stage.say(await podTable(cluster));
  await stage.headstart('prototype', 'run', '--node', donor, '--ready-for', '0', '--cloud-init', 'off');
  stage.say(await podTable(cluster));

  stage.act('5. a clone: another node, with the images of its donor');
  const original = await readIdentity(stage, donor);
  for (const instance of [donor, imageNode]) await stage.headstart('pool', 'stop', instance);
  const clone = await bootOneMore(stage, home, PROTOTYPE);
  boots.push({ kind: PROTOTYPE, ...clone });
  await collect(PROTOTYPE, clone.instance);
  const pod = await cluster.runHelloOn(clone.instance, hello);
  stage.say(`a pod on ${clone.instance}, nothing pulled: ${(await cluster.logOf(pod)).trim()}`);
  await cluster.deletePod(pod);
  const shared = sharedIdentifiers([original, await readIdentity(stage, clone.instance)]);
  if (shared.length > 0) throw new Error(`donor and clone share their ${shared.join(', ')}`);
  stage.say('donor and clone have different host names, machine-ids and host keys.');
  await stage.headstart('pool', 'stop', clone.instance);

  stage.act('6. a change in place: no reboot, and the Node shows the generation it runs');
  await stage.headstart('pool', 'start', imageNode);
  await deliver(stage, shop, cluster, { generation: 2, ...CHANGE });
  await cluster.awaitNode(imageNode, 'the second generation', runs('2', 'Applied'));
  await showNodes(stage, cluster);

  stage.act('7. a change that kubelet does not start with: the node rolls it back');
  await deliver(stage, shop, cluster, { generation: 3, ...BAD_CHANGE });
  await cluster.awaitNode(imageNode, 'the rollback', runs('2', 'RolledBack'));
  await cluster.awaitNode(imageNode, 'Ready again', isReady);
  await showNodes(stage, cluster);
  // A new node has no earlier generation to roll back to.
  await deliver(stage, shop, cluster, { generation: 4, ...CHANGE });
  await cluster.awaitNode(imageNode, 'the fourth generation', runs('4', 'Applied'));

  stage.act('8. each kind again, alternating, one VM at a time');
  await stage.headstart('pool', 'stop', imageNode);
  if (MORE_BOOTS > 0) await stage.headstart('pool', 'create', GENERIC, '--count', '0', ...recipe);
  for (let round = 0; round < MORE_BOOTS; round++) {
    for (const kind of [GENERIC, PROTOTYPE, IMAGE]) {
      boots.push({ kind, ...(await bootOneMore(stage, home, kind)) });
      await removeNewest(stage, kind);
    }
  }

  stage.act('9. a standby node: frozen in advance, claimed now');
  for (const instance of await instancesOf(stage, IMAGE)) await stage.headstart('pool', 'stop', instance);
  await stage.headstart('standby', 'up', IMAGE, '--frozen', '1');
  const claim = await claimOne({ ...stage, ask: stage.headstart }, home, IMAGE);
  boots.push({ kind: STANDBY, instance: claim.instance, readyMs: claim.readyMs });
  await collect(STANDBY, claim.instance);

  stage.act('what was measured');
  stage.say(`${boots.length} boots, Node Ready after the start of the VM, or after the claim:\n${bootTable(boots)}`);
  stage.say(summary(boots));
  const report = join(stage.folder, 'report.html');
  await stage.headstart('boot', 'report', ...[GENERIC, PROTOTYPE, IMAGE].map(bundleOf), '-o', report);
}

async function deliver(
  stage: Stage,
  shop: KubeWorkshop,
  cluster: KubeCluster,
  document: Parameters<typeof writeDocument>[3],
): Promise<void> {
  await stage.headstart('pool', 'set', IMAGE, '--user-data', writeDocument(stage, shop, cluster, document));
}

function runs(generation: string, state: string): (node: V1Node) => boolean {
  return ({ metadata: { annotations = {} } = {} }) =>
    annotations['headstart.dev/config-generation'] === generation &&
    annotations['headstart.dev/config-state'] === state;
}

async function showNodes(stage: Stage, { kubeconfig }: KubeCluster): Promise<void> {
  const annotation = (name: string) => `.metadata.annotations.headstart\\.dev/config-${name}`;
  const columns = ['NAME:.metadata.name', `GENERATION:${annotation('generation')}`, `STATE:${annotation('state')}`];
  const argv = ['get', 'nodes', '-o', `custom-columns=${columns.join(',')}`];
  const kubectl = join(programsFolder(cacheFolder(), BUILT_VERSION), 'kubectl');
  const ran = await runCommand([kubectl, '--kubeconfig', kubeconfig, ...argv], { signal: stage.signal });
  stage.say(`\n$ kubectl get nodes -o custom-columns=…\n${ran.stdout}${ran.stderr}`);
}

async function podTable(cluster: KubeCluster): Promise<string> {
  return renderTable(
    [
      { title: 'POD', cell: ({ metadata }) => metadata?.name ?? '' },
      { title: 'NODE', cell: ({ spec }) => spec?.nodeName ?? '' },
      { title: 'READY', cell: (pod) => (isReady(pod) ? 'yes' : 'no') },
    ],
    await cluster.helloPods(),
  );
}

function bootTable(boots: readonly Boot[]): string {
  return renderTable(
    [
      { title: 'KIND', cell: ({ kind }) => kind },
      { title: 'NODE', cell: ({ instance }) => instance },
      { title: 'READY AFTER', align: 'right', cell: ({ readyMs }) => formatSpan(readyMs * 1000) },
    ],
    boots,
  );
}

function summary(boots: readonly Boot[]): string {
  const of = (kind: Kind) => median(boots.filter((boot) => boot.kind === kind).map(({ readyMs }) => readyMs));
  const against = (kind: Kind) =>
    `${kind} ${formatSpan(of(kind) * 1000)}, ${(of(kind) / of(GENERIC)).toFixed(2)} of it`;
  return `median: generic ${formatSpan(of(GENERIC) * 1000)}; ${against(PROTOTYPE)}; ${against(IMAGE)}; ${against(STANDBY)}.`;
}
