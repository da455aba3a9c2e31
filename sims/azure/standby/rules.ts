// sims/azure/standby/rules.ts: which standby pools does Azure refuse? The limits are documented, the words and codes are not recorded.
import { capacityOf } from '../compute/capacity.ts';
import { regionKey } from '../compute/image-references.ts';
import { ArmError } from '../service/arm-error.ts';
import type { ArmCall } from '../service/call.ts';
import { fieldAt, numberAt, objectAt, stringAt } from '../service/json.ts';
import { keyOf, type SimScaleSet, type SimStandbyPool, type SimWorld } from '../world.ts';
import { poolOf } from './lookup.ts';
import { MOST_IN_ALL, sizeOf } from './size.ts';

const PARTS = ['runningPercent', 'deallocatedPercent', 'hibernatedPercent'];

/** The states that each api-version knows. */
function statesOf(apiVersion: string): string[] {
  return [
    ...['Running', 'Deallocated'],
    ...(apiVersion >= '2025-03-01' ? ['Hibernated'] : []),
    ...(apiVersion >= '2026-04-01' ? ['Mix'] : []),
  ];
}

export function requireAllowedPool(
  world: SimWorld,
  call: Pick<ArmCall, 'apiVersion'>,
  pool: SimStandbyPool,
  before: SimStandbyPool | undefined,
): void {
  if (!/^[a-zA-Z0-9-]{3,24}$/.test(pool.name))
    throw invalid(`the name '${pool.name}' has other than 3 to 24 characters`);
  if (before?.state === 'Deleting') throw conflict(`the standby pool '${pool.name}' is being deleted`);
  requireCapacities(pool);
  requireState(call, pool, before);
  const set = world.scaleSets[keyOf(pool.scaleSetId)];
  if (!set) throw invalid(`the virtual machine scale set '${pool.scaleSetId}' was not found`);
  if (before && keyOf(before.scaleSetId) !== keyOf(pool.scaleSetId))
    throw invalid('the attached virtual machine scale set cannot be changed');
  requireSet(world, pool, set);
  requireParkable(pool, set);
}

function requireCapacities({ properties }: SimStandbyPool): void {
  const most = fieldAt(properties, 'elasticityProfile', 'maxReadyCapacity');
  const least = fieldAt(properties, 'elasticityProfile', 'minReadyCapacity') ?? 0;
  if (!isCount(most)) throw invalid('maxReadyCapacity has to be a whole number, 0 or more');
  if (!isCount(least)) throw invalid('minReadyCapacity has to be a whole number, 0 or more');
  if (least > most) throw invalid('minReadyCapacity cannot exceed maxReadyCapacity');
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}

function requireState(
  { apiVersion }: Pick<ArmCall, 'apiVersion'>,
  { properties }: SimStandbyPool,
  before: SimStandbyPool | undefined,
): void {
  const state = stringAt(properties, 'virtualMachineState') ?? '';
  if (!statesOf(apiVersion).includes(state)) throw invalid(`'${state}' is no virtualMachineState of ${apiVersion}`);
  if (state === 'Mix') {
    const distribution = objectAt(properties, 'vmStateDistribution');
    const sum = PARTS.reduce((total, part) => total + (numberAt(distribution, part) ?? 0), 0);
    if (sum !== 100) throw invalid(`the percentages of vmStateDistribution add up to ${sum}, not 100`);
  }
  // Documented; how a mix changes is not.
  if (stringAt(before?.properties, 'virtualMachineState') === 'Deallocated' && state === 'Hibernated')
    throw invalid('a pool of deallocated virtual machines becomes hibernated only through Running');
}

function requireSet(world: SimWorld, pool: SimStandbyPool, set: SimScaleSet): void {
  if (set.mode !== 'Flexible') throw invalid(`the scale set '${set.name}' does not have Flexible orchestration`);
  if (regionKey(set.location) !== regionKey(pool.location))
    throw invalid(`the scale set '${set.name}' is in '${set.location}', not in '${pool.location}'`);
  if (fieldAt(set.properties, 'platformFaultDomainCount') !== 1)
    throw invalid(`the scale set '${set.name}' has a fault domain count other than 1`);
  const other = poolOf(world, set);
  if (other && keyOf(other.id) !== keyOf(pool.id))
    throw conflict(`the scale set '${set.name}' is attached to the standby pool '${other.name}'`);
  const asked = numberAt(pool.properties, 'elasticityProfile', 'minReadyCapacity') ?? 0;
  const most = numberAt(pool.properties, 'elasticityProfile', 'maxReadyCapacity') ?? 0;
  if (most > MOST_IN_ALL || asked > sizeOf(pool, set))
    throw invalid(
      `the scale set '${set.name}' has ${capacityOf(set)} instances, and with its standby pool at most ${MOST_IN_ALL}`,
    );
}

/** What the model of the set has to have for its VMs to be parked. */
function requireParkable({ properties }: SimStandbyPool, set: SimScaleSet): void {
  const state = stringAt(properties, 'virtualMachineState');
  const has = (part: string) => (numberAt(properties, 'vmStateDistribution', `${part}Percent`) ?? 0) > 0;
  const isHibernated = state === 'Hibernated' || (state === 'Mix' && has('hibernated'));
  const isDeallocated = state === 'Deallocated' || (state === 'Mix' && has('deallocated'));
  const osDisk = objectAt(set.properties, 'virtualMachineProfile', 'storageProfile', 'osDisk');
  if ((isHibernated || isDeallocated) && objectAt(osDisk, 'diffDiskSettings'))
    throw invalid(`virtual machines of '${set.name}' have ephemeral OS disks: they can only be Running`);
  if (isHibernated && fieldAt(set.properties, 'additionalCapabilities', 'hibernationEnabled') !== true)
    throw invalid(`hibernation is not enabled on the scale set '${set.name}'`);
}

function invalid(message: string): ArmError {
  return new ArmError(400, 'InvalidParameter', `The standby pool is not valid: ${message}.`);
}

function conflict(message: string): ArmError {
  return new ArmError(409, 'Conflict', `The request failed due to a conflict: ${message}.`);
}
