// prototype/simulation/actions.testing.ts: what can the platform, the autoscaler, an operator or a machine do, and what happens then?

import type { FakeInstance } from '../../vms/fake/fake-provider.ts';
import type { Instance } from '../../vms/pools.ts';
import { DONOR_TAG, MODEL_TAG, PRIOR_ANNOTATION } from '../names.ts';
import type { SimCommand } from './commands.testing.ts';
import { isGuardedNode, MINUTE, type World } from './world.testing.ts';

/** At a time, or some time after a process began a step, started or ended. */
export type When = { atMs: number } | { process: string; step: string; plusMs: number };

export type Deed =
  | { kind: 'power-reads'; node: number; power: Instance['power']; forMs: number }
  | { kind: 'maintenance'; node: number; forMs: number }
  | { kind: 'evict' | 'repair'; node: number }
  | { kind: 'slow'; forMs: number; takesMs: number }
  | { kind: 'fail'; forMs: number; isApplied: boolean }
  | { kind: 'version-fails'; times: number; afterMs: number }
  | { kind: 'slow-version' | 'slow-copy'; takesMs: number }
  | { kind: 'throttle'; process: string; order: string; waitMs: number }
  | { kind: 'lose-answer'; process: string; order: string }
  | { kind: 'forbid'; forMs: number; scope: 'all' | 'orders' }
  | { kind: 'no-capacity' | 'cluster-away'; forMs: number }
  | { kind: 'budget'; forMs: number }
  | { kind: 'scale-in' | 'stop' | 'start' | 'cordon' | 'uncordon' | 'delete-node'; node: number }
  | { kind: 'scale-out' | 'new-recipe' | 'delete-secret' | 'tag-pool' | 'untag-pool' }
  | { kind: 'delete-tag' | 'damage-tag' | 'damage-note'; node: number }
  | { kind: 'command'; name: string; command: SimCommand }
  | { kind: 'die' | 'interrupt'; process: string }
  | { kind: 'sleep'; process: string; forMs: number }
  | { kind: 'jump'; process: string; byMs: number };

export interface Action {
  when: When;
  deed: Deed;
}

export const FAILURE = 'the storage of the region has no room (StorageAccountLimitReached)';

/** Nodes are numbered as they were at the start; an action on a node that is gone does nothing. */
export interface Stage {
  world: World;
  /** The names of the nodes at the start. */
  nodes: readonly string[];
  start(name: string, command: SimCommand): void;
}

export function act({ world, nodes, start }: Stage, deed: Deed): void {
  const untilMs = 'forMs' in deed ? world.nowMs + deed.forMs : 0;
  const nodeName = 'node' in deed ? nodes[deed.node % nodes.length]! : '';
  const instance = world.instanceOf(nodeName);
  switch (deed.kind) {
    case 'power-reads':
      if (!instance) return;
      world.readings.set(instance.vmId, { power: deed.power, untilMs });
      world.tell('platform', `power of ${nodeName} reads ${deed.power} for ${shortSpan(deed.forMs)}`);
      return;
    case 'maintenance':
      maintain(world, instance, deed.forMs);
      return;
    case 'evict':
      if (!instance) return;
      world.tell('platform', `deletes the instance ${nodeName}`);
      world.removeInstance(instance);
      return;
    case 'repair':
      if (!instance || instance.protection.fromPoolActions) return;
      world.tell('platform', `replaces ${nodeName} by another machine of the same name`);
      world.replaceInstance(instance);
      return;
    case 'scale-in':
      scaleIn(world, instance);
      return;
    case 'scale-out':
      if (world.addInstance(2 * MINUTE)) world.tell('autoscaler', 'adds an instance');
      return;
    case 'slow':
      world.tell('platform', `stops and starts take ${shortSpan(deed.takesMs)} from now on`);
      world.faults.push({ kind: 'slow', untilMs, takesMs: deed.takesMs });
      return;
    case 'fail':
      world.tell('platform', `fails all orders for ${shortSpan(deed.forMs)}${deed.isApplied ? ', but does them' : ''}`);
      world.faults.push({ kind: 'fail', untilMs, isApplied: deed.isApplied });
      return;
    case 'version-fails':
      world.tell('platform', `versions will fail ${deed.times > 9 ? 'always' : `${deed.times} times`}`);
      world.versionFailures = { times: deed.times, afterMs: deed.afterMs, reason: FAILURE };
      return;
    case 'slow-version':
      world.tell('platform', `versions take ${shortSpan(deed.takesMs)} from now on`);
      world.versionMs = deed.takesMs;
      return;
    case 'slow-copy':
      world.tell('platform', `copies of disks take ${shortSpan(deed.takesMs)} from now on`);
      world.provider.copyingMs = deed.takesMs;
      return;
    case 'throttle':
    case 'lose-answer':
      world.faults.push(deed);
      return;
    case 'forbid':
      world.tell(
        'platform',
        `forbids ${deed.scope === 'all' ? 'everything' : 'all changes'} for ${shortSpan(deed.forMs)}`,
      );
      world.faults.push({ kind: 'forbid', untilMs, scope: deed.scope });
      return;
    case 'no-capacity':
      world.tell('platform', `has no capacity for ${shortSpan(deed.forMs)}`);
      world.faults.push({ kind: 'no-capacity', untilMs });
      return;
    case 'cluster-away':
      world.tell('platform', `the API server of the cluster is away for ${shortSpan(deed.forMs)}`);
      world.faults.push({ kind: 'cluster-away', untilMs });
      return;
    case 'budget':
      blockEvictions(world, deed.forMs);
      return;
    case 'command':
      start(deed.name, deed.command);
      return;
    case 'die':
    case 'interrupt':
    case 'sleep':
    case 'jump':
      moveMachine(world, deed);
      return;
    default:
      operate(world, deed.kind, nodeName, instance);
      return;
  }
}

function maintain(world: World, instance: FakeInstance | undefined, forMs: number): void {
  if (instance?.power !== 'running' || world.operations.has(instance.vmId)) return;
  world.tell('platform', `stops ${instance.computerName} for maintenance of ${shortSpan(forMs)}`);
  world.as('platform', () => world.setPower(instance, 'stopped'));
  world.scheduler.after(forMs, () => {
    if (world.diskOf(instance.vmId).off?.by !== 'platform' || world.operations.has(instance.vmId)) return;
    world.tell('platform', `starts ${instance.computerName} again`);
    world.as('platform', () => world.setPower(instance, 'running'));
  });
}

/** The autoscaler respects the annotations, the platform's own scale-in the protection. */
function scaleIn(world: World, instance: FakeInstance | undefined): void {
  if (!instance || instance.protection.fromScaleIn || world.pool.instances.length < 2) return;
  if (isGuardedNode(world.cluster.nodes.get(instance.computerName)?.annotations)) return;
  world.tell('autoscaler', `removes ${instance.computerName}`);
  world.removeInstance(instance);
}

function blockEvictions(world: World, forMs: number): void {
  world.tell('operator', `a disruption budget allows no eviction for ${shortSpan(forMs)}`);
  for (const { name } of world.cluster.pods) world.cluster.blocked.add(name);
  world.scheduler.after(forMs, () => world.cluster.blocked.clear());
}

function moveMachine(world: World, deed: Extract<Deed, { kind: 'die' | 'interrupt' | 'sleep' | 'jump' }>): void {
  const process = world.processes.find(({ name, isActive }) => name === deed.process && isActive);
  if (!process) return;
  switch (deed.kind) {
    case 'die':
      world.tell(process.name, 'dies');
      process.die();
      return;
    case 'interrupt':
      world.tell(process.name, 'is interrupted');
      process.interrupt();
      return;
    case 'sleep':
      world.tell(process.name, `its laptop sleeps for ${shortSpan(deed.forMs)}`);
      process.fallAsleep(deed.forMs);
      return;
    case 'jump':
      world.tell(process.name, `its clock jumps by ${shortSpan(deed.byMs)}`);
      process.jumpClock(deed.byMs);
      return;
  }
}

/** What a person does with the tools of the cloud and the cluster. */
function operate(world: World, kind: string, nodeName: string, instance: FakeInstance | undefined): void {
  const node = world.cluster.nodes.get(nodeName);
  const left = world.expected.get(nodeName);
  const isUsed = world.processes.some(({ isActive }) => isActive) || (instance !== undefined && world.isOut(instance));
  const say = (what: string) => world.tell('operator', what);
  switch (kind) {
    case 'stop':
    case 'start': {
      const power = kind === 'stop' ? 'stopped' : 'running';
      if (!instance || instance.power === power || world.operations.has(instance.vmId)) return;
      say(`${kind}s ${nodeName}`);
      world.as('operator', () => world.setPower(instance, power));
      return;
    }
    case 'cordon':
    case 'uncordon':
      if (!node || !left || node.isUnschedulable === (kind === 'cordon')) return;
      say(`${kind}s ${nodeName}`);
      world.cluster.touch(nodeName, { isUnschedulable: kind === 'cordon' });
      left.isUnschedulable = isUsed ? 'either' : kind === 'cordon';
      if (kind === 'uncordon') world.addPodAfter(20_000, nodeName);
      return;
    case 'delete-node':
      if (!node) return;
      say(`deletes the Node ${nodeName}`);
      // A tag that was edited says as little as none.
      if (instance && world.isOut(instance) && (instance.tags[DONOR_TAG] ?? 'mine') === 'mine')
        world.unmarked.add(nodeName);
      world.deleteNode(nodeName);
      return;
    case 'delete-tag':
    case 'damage-tag': {
      if (instance?.tags[DONOR_TAG] === undefined) return;
      say(`${kind === 'delete-tag' ? 'deletes' : 'changes'} the tag ${DONOR_TAG} of ${nodeName}`);
      const { [DONOR_TAG]: _, ...rest } = instance.tags;
      instance.tags = kind === 'delete-tag' ? rest : { ...rest, [DONOR_TAG]: 'mine' };
      if (node?.annotations[PRIOR_ANNOTATION] === undefined) world.unmarked.add(nodeName);
      return;
    }
    case 'damage-note':
      if (node?.annotations[PRIOR_ANNOTATION] === undefined || !left) return;
      say(`changes the annotation ${PRIOR_ANNOTATION} of ${nodeName}`);
      world.cluster.touch(nodeName, { annotations: { ...node.annotations, [PRIOR_ANNOTATION]: '{"run":' } });
      world.unmarked.add(nodeName);
      return;
    case 'new-recipe':
      say('gives the pool a new image and new custom data');
      world.setRecipe();
      return;
    case 'delete-secret':
      say('deletes the Secret with the saved model');
      world.cluster.secrets.clear();
      world.secretDeletedMs = world.nowMs;
      return;
    case 'tag-pool':
      say('tags the pool');
      world.pool.tags = { ...world.pool.tags, team: 'a' };
      world.touchPool();
      return;
    case 'untag-pool': {
      if (world.pool.tags[MODEL_TAG] === undefined) return;
      say(`deletes the tag ${MODEL_TAG} of the pool`);
      const { [MODEL_TAG]: _, ...rest } = world.pool.tags;
      world.pool.tags = rest;
      world.touchPool();
      return;
    }
  }
}

export function shortSpan(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const sign = ms < 0 ? '-' : '';
  return seconds < 120 ? `${sign}${seconds} s` : `${sign}${Math.round(seconds / 60)} min`;
}
