// sims/azure/service/authorization.ts: Microsoft.Authorization, as far as clients look before they act: which rights do they have, and what is locked?
import { groupId, keyOf, type SimLock, type SimWorld } from '../world.ts';
import { ArmError } from './arm-error.ts';
import type { ArmAnswer, ArmCall } from './call.ts';

/** The rights of the client at this scope. Every role of the simulator is assigned on the subscription. */
export function listPermissions(_world: SimWorld, { grant }: ArmCall): ArmAnswer {
  const { actions, notActions } = grant ?? { actions: ['*'], notActions: [] };
  return { status: 200, body: { value: [{ actions, notActions, dataActions: [], notDataActions: [] }] } };
}

/** The locks of the group, of what is in it, and of its subscription. */
export function listLocks(world: SimWorld, { params }: ArmCall): ArmAnswer {
  const group = keyOf(groupId(world, params.group ?? ''));
  const value = world.locks.filter((lock) => isWithin(keyOf(lock.scope), group) || isWithin(group, keyOf(lock.scope)));
  return { status: 200, body: { value: value.map(lockBody) } };
}

/** A lock holds for its scope and everything in it. `ReadOnly` forbids actions (POST) too. */
export function requireUnlocked(world: SimWorld, method: string, path: string): void {
  if (method === 'GET') return;
  const verb = method === 'DELETE' ? 'delete' : 'write';
  const holding = world.locks.filter(
    ({ scope, level }) => isWithin(keyOf(path), keyOf(scope)) && (level === 'ReadOnly' || verb === 'delete'),
  );
  if (holding.length === 0) return;
  throw new ArmError(
    409,
    'ScopeLocked',
    `The scope '${path}' cannot perform ${verb} operation because following scope(s) are locked: '${holding.map(({ scope }) => scope).join("','")}'. Please remove the lock and try again.`,
  );
}

function isWithin(id: string, scope: string): boolean {
  return id === scope || id.startsWith(`${scope}/`);
}

function lockBody({ scope, name, level }: SimLock) {
  return {
    id: `${scope}/providers/Microsoft.Authorization/locks/${name}`,
    name,
    type: 'Microsoft.Authorization/locks',
    properties: { level },
  };
}
