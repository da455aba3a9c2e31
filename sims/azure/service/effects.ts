// sims/azure/service/effects.ts: what has happened by now? Due operations take effect, in the order in which they end.
import { recount, reimage } from '../compute/births.ts';
import { diskBody } from '../compute/disks.ts';
import { snapshotBody } from '../compute/snapshots.ts';
import { keepStandbyPools } from '../standby/keep-pools.ts';
import { membersOf } from '../standby/members.ts';
import {
  instancesOf,
  keyOf,
  type Operation,
  type OperationEffect,
  type SimDefinition,
  type SimGallery,
  type SimInstance,
  type SimScaleSet,
  type SimVersion,
  type SimWorld,
} from '../world.ts';
import { stringAt } from './json.ts';

export function settle(world: SimWorld, nowMs: number): void {
  // The end of one may begin another, which may be due as well.
  for (let due = dueOperations(world, nowMs); due.length > 0; due = dueOperations(world, nowMs)) {
    for (const operation of due) end(world, operation);
  }
}

/** Those that end first. */
function dueOperations(world: SimWorld, nowMs: number): Operation[] {
  const due = Object.values(world.operations).filter(
    ({ status, endsMs }) => status === 'InProgress' && endsMs <= nowMs,
  );
  const firstMs = Math.min(...due.map(({ endsMs }) => endsMs));
  return due.filter(({ endsMs }) => endsMs === firstMs).sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** Whether an operation ends by then. */
export function isDue(world: SimWorld, nowMs: number): boolean {
  return Object.values(world.operations).some(({ status, endsMs }) => status === 'InProgress' && endsMs <= nowMs);
}

function end(world: SimWorld, operation: Operation): void {
  const { fate, effect } = operation;
  const hasFailed = fate === 'failed' || fate === 'failed-but-applied' || operation.error !== undefined;
  operation.status = hasFailed ? 'Failed' : 'Succeeded';
  if (hasFailed) {
    operation.error ??= {
      code: 'InternalExecutionError',
      message: 'An internal execution error occurred. Please retry later.',
    };
  }
  const isApplied =
    operation.error === undefined ? fate !== 'succeeded-but-not-applied' : fate === 'failed-but-applied';
  (isApplied ? apply : undo)(world, effect, operation, hasFailed);
  keepStandbyPools(world, operation.endsMs);
}

function apply(world: SimWorld, effect: OperationEffect, operation: Operation): void {
  switch (effect.kind) {
    case 'power':
      for (const { id, to } of effect.moved) {
        settleInstance(world, id, (instance) => {
          instance.power = to;
          if (effect.isReimaged) reimage(world, instance);
        });
      }
      break;
    case 'instance-updated':
      settleInstance(world, effect.id, () => {});
      break;
    case 'delete-instances':
      for (const id of effect.ids) {
        const set = world.scaleSets[keyOf(world.instances[keyOf(id)]?.scaleSetId ?? '')];
        if (set) set.etag += 1;
        removeInstance(world, id);
      }
      break;
    case 'model-updated': {
      const set = world.scaleSets[keyOf(effect.id)];
      if (set) set.state = 'Succeeded';
      for (const id of effect.born) {
        settleInstance(world, id, (instance) => {
          instance.power = 'running';
        });
      }
      for (const id of effect.leaving) removeInstance(world, id);
      if (set) upgradeByItself(world, set);
      break;
    }
    case 'upgrade-instances':
      for (const id of effect.ids) {
        settleInstance(world, id, (instance) => {
          const set = world.scaleSets[keyOf(instance.scaleSetId)];
          if (set) instance.modelVersion = set.modelVersion;
        });
      }
      break;
    case 'delete-scale-set':
      for (const instance of instancesOf(world, effect)) removeInstance(world, instance.id);
      delete world.scaleSets[keyOf(effect.id)];
      break;
    case 'disk-made': {
      const disk = world.disks[keyOf(effect.id)];
      if (disk) {
        disk.properties.provisioningState = 'Succeeded';
        operation.output = diskBody(world, disk);
      }
      break;
    }
    case 'delete-disk':
      delete world.disks[keyOf(effect.id)];
      break;
    case 'snapshot-made': {
      const snapshot = world.snapshots[keyOf(effect.id)];
      if (snapshot) {
        snapshot.state = 'Succeeded';
        operation.output = snapshotBody(snapshot, operation.endsMs);
      }
      break;
    }
    case 'delete-snapshot':
      delete world.snapshots[keyOf(effect.id)];
      break;
    case 'access-granted':
      operation.output = effect.sas;
      break;
    case 'gallery-ready':
    case 'definition-ready':
    case 'version-ready':
    case 'version-changed':
    case 'thing-changed': {
      const made = galleryThing(world, effect);
      if (made) made.state = 'Succeeded';
      break;
    }
    case 'delete-gallery':
      delete world.galleries[keyOf(effect.id)];
      break;
    case 'delete-definition':
      delete world.definitions[keyOf(effect.id)];
      break;
    case 'delete-version':
      delete world.versions[keyOf(effect.id)];
      break;
    case 'standby-moved':
      settleInstance(world, effect.id, (instance) => {
        instance.power = effect.to;
      });
      break;
    case 'delete-standby-pool':
      for (const { id } of membersOf(world, effect)) removeInstance(world, id);
      delete world.standbyPools[keyOf(effect.id)];
      break;
    case 'standby-resumes':
    case 'none':
      break;
  }
}

/** The resource after an operation that ended without its effect. */
function undo(world: SimWorld, effect: OperationEffect, operation: Operation, hasFailed: boolean): void {
  const after = hasFailed ? 'Failed' : 'Succeeded';
  switch (effect.kind) {
    case 'power':
      for (const { id, from } of effect.moved) {
        settleInstance(world, id, (instance) => {
          instance.power = from;
          if (hasFailed) instance.state = 'Failed';
        });
      }
      break;
    case 'instance-updated':
      settleInstance(world, effect.id, () => {});
      break;
    case 'delete-instances':
      for (const id of effect.ids) settleInstance(world, id, () => {});
      break;
    case 'model-updated': {
      const set = world.scaleSets[keyOf(effect.id)];
      if (set) set.state = after;
      for (const id of effect.born) removeInstance(world, id);
      for (const id of effect.leaving) settleInstance(world, id, () => {});
      break;
    }
    case 'delete-scale-set': {
      const set = world.scaleSets[keyOf(effect.id)];
      if (set) set.state = after;
      break;
    }
    case 'delete-standby-pool': {
      const pool = world.standbyPools[keyOf(effect.id)];
      if (pool) pool.state = 'Succeeded';
      break;
    }
    case 'snapshot-made': {
      const snapshot = world.snapshots[keyOf(effect.id)];
      if (snapshot && hasFailed) snapshot.state = 'Failed';
      else delete world.snapshots[keyOf(effect.id)];
      break;
    }
    case 'gallery-ready':
    case 'definition-ready':
    case 'version-ready': {
      const made = galleryThing(world, effect);
      if (!made) break;
      if (hasFailed || effect.kind === 'version-ready') made.state = 'Failed';
      else if (effect.kind === 'gallery-ready') delete world.galleries[keyOf(effect.id)];
      else delete world.definitions[keyOf(effect.id)];
      if (effect.kind === 'version-ready') recordFailure(world, effect.id, operation);
      break;
    }
    case 'version-changed':
    case 'thing-changed':
    case 'delete-gallery':
    case 'delete-definition':
    case 'delete-version': {
      const kept = galleryThing(world, effect);
      if (kept) kept.state = after;
      break;
    }
    default:
      break;
  }
}

function galleryThing(world: SimWorld, { id }: { id: string }): SimGallery | SimDefinition | SimVersion | undefined {
  return world.versions[keyOf(id)] ?? world.definitions[keyOf(id)] ?? world.galleries[keyOf(id)];
}

function recordFailure(world: SimWorld, id: string, operation: Operation): void {
  const version = world.versions[keyOf(id)];
  if (version) version.failure = operation.error?.message ?? 'The operation ended without a version.';
}

function settleInstance(world: SimWorld, id: string, change: (instance: SimInstance) => void): void {
  const instance = world.instances[keyOf(id)];
  if (!instance) return;
  instance.state = 'Succeeded';
  change(instance);
}

/** With upgrade mode Automatic a new model reaches every unprotected instance at once, drained or not. */
function upgradeByItself(world: SimWorld, set: SimScaleSet): void {
  if (stringAt(set.properties, 'upgradePolicy', 'mode') !== 'Automatic') return;
  for (const instance of instancesOf(world, set)) {
    const isStale = instance.modelVersion !== set.modelVersion;
    if (isStale && instance.protection?.protectFromScaleSetActions !== true) reimage(world, instance);
  }
}

function removeInstance(world: SimWorld, id: string): void {
  const instance = world.instances[keyOf(id)];
  if (!instance) return;
  delete world.instances[keyOf(id)];
  if (instance.osDiskId !== null) delete world.disks[keyOf(instance.osDiskId)];
  const set = world.scaleSets[keyOf(instance.scaleSetId)];
  if (set) recount(world, set);
}
