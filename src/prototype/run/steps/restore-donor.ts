// prototype/run/steps/restore-donor.ts: return the donor to service in its previous state; first after a failure and on resume.
import type { Node } from '../../../cluster/cluster.ts';
import type { Protection } from '../../../vms/pools.ts';
import { DONOR_TAG } from '../../names.ts';
import { observeDonor } from '../observe.ts';
import {
  isProtectionLost,
  isStaleStatus,
  priorProtection,
  readPrior,
  restoreChange,
  restoreWarning,
} from '../prior.ts';
import type { Scene } from '../scene.ts';
import type { Step } from '../step.ts';

const POLL_MS = 10_000;

/** The cloud's node controller taints the node of a stopped VM, and the taint may stay for minutes after the start. */
const SHUTDOWN_TAINTS = new Set([
  'node.cloudprovider.kubernetes.io/shutdown',
  'node.kubernetes.io/out-of-service',
  'node.kubernetes.io/unreachable',
  'node.kubernetes.io/not-ready',
]);

/** Marked on the node, or on the instance if the Node object was deleted. */
function isOut({ world }: Scene): boolean {
  return readPrior(world.node) !== undefined || world.donor?.tags[DONOR_TAG] !== undefined;
}

export const startDonor: Step = {
  id: 'start-donor',
  title: 'start the donor',
  usuallyMs: 60_000,
  isWaiting: true,
  isNeeded: (scene) => scene.world.donor !== undefined && (isOut(scene) || scene.run.mayStopLate === true),
  isDone: ({ world }) => world.donor?.power === 'running',
  apply: async ({ world, intent }, { pools, clock, signal, onWaiting }) => {
    const { ref, power } = world.donor!;
    // The order is sent for `unknown` too: starting a machine that runs does nothing.
    if (power !== 'starting') await pools.start(ref, { signal, onWaiting });
    if (power === 'stopped' || power === 'deallocated') return;
    onWaiting(`${intent.nodeName} to run; its power state is ${power}`);
    await clock.sleep(POLL_MS, signal);
  },
};

export const awaitReady: Step = {
  id: 'await-ready',
  isWaiting: true,
  title: 'wait until the donor is Ready and its shutdown taints are gone',
  usuallyMs: 90_000,
  // A node that never becomes Ready is returned to its state all the same: the scheduler avoids it by itself.
  giveUpAfterMs: 30 * 60_000,
  isSkippable: true,
  isNeeded: ({ world, run }) =>
    readPrior(world.node) !== undefined && world.donor !== undefined && !run.gaveUp?.has('await-ready'),
  isDone: ({ world }) => world.node !== undefined && isDonorReady(world.node, world.nowMs),
  apply: async ({ world, intent }, { clock, signal, onWaiting }) => {
    const isReady = world.node?.isReady && !isStaleStatus(world.node, world.nowMs);
    onWaiting(isReady ? `the shutdown taints of ${intent.nodeName} to be removed` : `${intent.nodeName} to be Ready`);
    await clock.sleep(POLL_MS, signal);
  },
  poll: ({ world, intent }, deps) => observeDonor(intent, world.donor!.ref, deps),
};

export function isDonorReady(node: Node, nowMs: number): boolean {
  return node.isReady && !isStaleStatus(node, nowMs) && !node.taints.some((taint) => SHUTDOWN_TAINTS.has(taint.key));
}

export const restoreProtection: Step = {
  id: 'restore-protection',
  title: 'restore the protection of the instance',
  usuallyMs: 15_000,
  isNeeded: (scene) => wantedProtection(scene) !== undefined && scene.world.donor !== undefined,
  isDone: (scene) => {
    const wanted = wantedProtection(scene);
    const seen = scene.world.donor?.protection;
    return wanted?.fromScaleIn === seen?.fromScaleIn && wanted?.fromPoolActions === seen?.fromPoolActions;
  },
  warning: ({ world }) =>
    isProtectionLost(readPrior(world.node), world.donor?.tags[DONOR_TAG])
      ? `the recorded protection of ${world.donor?.computerName} cannot be read, so it gets none; protect it again if it was protected before the run`
      : undefined,
  apply: (scene, { pools, signal, onWaiting }) =>
    pools.setProtection(scene.world.donor!.ref, wantedProtection(scene)!, { signal, onWaiting }),
};

function wantedProtection({ world }: Scene): Protection | undefined {
  return priorProtection(readPrior(world.node), world.donor?.tags[DONOR_TAG]);
}

export const restoreNode: Step = {
  id: 'restore-node',
  title: 'return the node to service in its previous state',
  usuallyMs: 2000,
  isNeeded: isOut,
  isDone: (scene) => !isOut(scene),
  warning: ({ world }) => {
    const prior = readPrior(world.node);
    return prior && world.node && restoreWarning(prior, world.node);
  },
  apply: async ({ world }, { cluster, pools, signal }) => {
    const prior = readPrior(world.node);
    // The tag goes first: after a crash in between, the annotation still marks the donor.
    if (world.donor?.tags[DONOR_TAG] !== undefined) {
      await pools.tagInstance(world.donor.ref, { [DONOR_TAG]: null }, { signal });
    }
    if (prior && world.node) await cluster.changeNode(world.node, restoreChange(prior), signal);
  },
};
