// sims/azure/compute/power.ts: stopping, deallocating and starting instances, one or several at once.
import { ArmError } from '../service/arm-error.ts';
import type { ArmAnswer, ArmCall } from '../service/call.ts';
import { fieldAt, objectAt } from '../service/json.ts';
import { ALLOCATION_FAILED, acceptedWithoutBody, begin } from '../service/operations.ts';
import { instancesOf, type Power, type SimInstance, type SimScaleSet, type SimWorld } from '../world.ts';
import { requireIdle, requireInstance } from './instances.ts';
import { requireScaleSet, requireVm } from './lookup.ts';

export type PowerAction = 'poweroff' | 'deallocate' | 'start' | 'restart' | 'reimage' | 'reimageall';

const ON_THE_WAY: Readonly<Record<Move, Power>> = {
  hibernate: 'hibernating',
  poweroff: 'stopping',
  deallocate: 'deallocating',
  start: 'starting',
  restart: 'starting',
  reimage: 'starting',
  reimageall: 'starting',
};

const AT_THE_END: Readonly<Record<Move, Power>> = {
  hibernate: 'hibernated',
  poweroff: 'stopped',
  deallocate: 'deallocated',
  start: 'running',
  restart: 'running',
  reimage: 'running',
  reimageall: 'running',
};

/** On one instance of a Uniform set. */
export function instancePower(action: PowerAction): (world: SimWorld, call: ArmCall) => ArmAnswer {
  return (world, call) => {
    const { set, instance } = requireInstance(world, call);
    if (set.mode === 'Flexible') {
      throw new ArmError(
        409,
        'OperationNotAllowed',
        `Operation '${action}' is not allowed on an instance of a scale set with Flexible orchestration; use the virtual machine '${instance.name}'.`,
      );
    }
    return beginPower(world, call, moveOf(call, action), [instance], instance.id);
  };
}

/** On the ordinary virtual machine that an instance of a Flexible set is. */
export function vmPower(action: PowerAction): (world: SimWorld, call: ArmCall) => ArmAnswer {
  return (world, call) => {
    const { instance } = requireVm(world, call);
    return beginPower(world, call, moveOf(call, action), [instance], instance.id);
  };
}

/** On the instances named in the body, `*` or all. Actions of the set skip protected instances, also one that is named. */
export function setPower(action: PowerAction): (world: SimWorld, call: ArmCall) => ArmAnswer {
  return (world, call) => {
    const set = requireScaleSet(world, call);
    const chosen = chosenInstances(world, call, set).filter((i) => i.protection?.protectFromScaleSetActions !== true);
    return beginPower(world, call, moveOf(call, action), chosen, set.id);
  };
}

/** Recorded: hibernation is a parameter of `deallocate`. */
type Move = PowerAction | 'hibernate';

function moveOf({ query }: ArmCall, action: PowerAction): Move {
  return action === 'deallocate' && query.get('hibernate')?.toLowerCase() === 'true' ? 'hibernate' : action;
}

export function chosenInstances(world: SimWorld, call: ArmCall, set: SimScaleSet): SimInstance[] {
  const ids = fieldAt(call.body, 'instanceIds');
  const all = instancesOf(world, set);
  if (!Array.isArray(ids) || ids.includes('*')) return all;
  const chosen = all.filter((instance) => ids.includes(instance.instanceId));
  if (chosen.length < ids.length) {
    throw new ArmError(
      400,
      'InvalidParameter',
      `The provided instanceId ${ids.join(', ')} is not an active Virtual Machine Scale Set VM instanceId.`,
    );
  }
  return chosen;
}

function beginPower(world: SimWorld, call: ArmCall, action: Move, instances: SimInstance[], on: string): ArmAnswer {
  for (const instance of instances) requirePossible(world, action, instance);
  const wasReleased = instances.some(({ power }) => power === 'deallocated' || power === 'hibernated');
  const moved = instances.map(({ id, power }) => ({ id, from: power, to: AT_THE_END[action] }));
  for (const instance of instances) {
    if (instance.power !== AT_THE_END[action]) instance.power = ON_THE_WAY[action];
    instance.state = 'Updating';
  }
  const operation = begin(world, call, {
    kind: 'operations',
    location: instances[0]?.location ?? requireScaleSet(world, call).location,
    on,
    tookMs: moved.every(({ from, to }) => from === to) ? 0 : durationOf(world, action, instances),
    effect: { kind: 'power', moved, isReimaged: action.startsWith('reimage') },
    // Only a deallocated or hibernated VM can fail for lack of capacity.
    ...(call.fate === 'allocation-failed' && wasReleased && action === 'start' && { error: ALLOCATION_FAILED }),
  });
  return acceptedWithoutBody(world, call, operation);
}

function requirePossible(world: SimWorld, action: Move, instance: SimInstance): void {
  requireIdle(world, instance);
  if (action === 'hibernate') requireHibernation(instance);
  const isEphemeral = objectAt(instance.profile, 'storageProfile', 'osDisk', 'diffDiskSettings') !== undefined;
  if (!isEphemeral || !['poweroff', 'deallocate', 'hibernate'].includes(action)) return;
  throw new ArmError(
    409,
    'OperationNotAllowed',
    `Operation '${action}' is not supported for VM or VM Scale Set instance using an ephemeral OS disk.`,
  );
}

/** Only a running VM of a Flexible set whose model allows it. The codes are not recorded. */
function requireHibernation({ name, mode, power, capabilities }: SimInstance): void {
  const reason =
    mode === 'Uniform'
      ? 'is an instance of a scale set with Uniform orchestration'
      : capabilities?.hibernationEnabled !== true
        ? 'does not have hibernation enabled'
        : power !== 'running' && power !== 'hibernated'
          ? `is ${power}, not running`
          : undefined;
  if (reason === undefined) return;
  throw new ArmError(409, 'OperationNotAllowed', `The VM '${name}' cannot be hibernated: it ${reason}.`);
}

function durationOf({ timing }: SimWorld, action: Move, instances: readonly SimInstance[]): number {
  if (action === 'start' && instances.every(({ power }) => power === 'hibernated' || power === 'running'))
    return timing.resumeMs;
  return {
    hibernate: timing.hibernateMs,
    poweroff: timing.powerOffMs,
    deallocate: timing.deallocateMs,
    start: timing.startMs,
    restart: timing.restartMs,
    reimage: timing.reimageMs,
    reimageall: timing.reimageMs,
  }[action];
}
