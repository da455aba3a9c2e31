// node/metadata/azure-standby.ts: does an answer of Azure's metadata service say that the instance waits to be claimed,
// in a standby pool of its owner or as a pre-provisioned VM of the platform?
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import type { StandbyReport } from './source.ts';

/** Undefined: it mentions neither, as for every ordinary VM. A value of an unexpected type is reported, never an error. */
export function standbyReport({
  compute,
  extended,
}: {
  compute: JsonObject;
  extended: Json | undefined;
}): StandbyReport | undefined {
  const pool = poolReport(compute.isVmInStandbyPool);
  if (pool?.is === 'in' || !isParked(extended)) return pool;
  return { is: 'parked' };
}

/** Azure writes booleans as text, and an empty text where the field does not apply. */
function poolReport(value: Json | undefined): StandbyReport | undefined {
  if (value === undefined || value === null || value === '') return undefined;
  const word = typeof value === 'string' ? value.toLowerCase() : value;
  if (word === 'true' || word === true) return { is: 'in' };
  if (word === 'false' || word === false) return { is: 'out' };
  const what =
    typeof value === 'string'
      ? 'another text'
      : Array.isArray(value)
        ? 'a list'
        : typeof value === 'number'
          ? 'a number'
          : 'an object';
  return { is: 'unknown', oddity: `expected true or false in compute.isVmInStandbyPool, got ${what}` };
}

/** The types of pre-provisioning that cloud-init knows. A type that it does not know is not evidence. */
const PARKED: readonly Json[] = ['PreprovisionedOSDisk', 'Running', 'Savable'];

function isParked(extended: Json | undefined): boolean {
  const compute = isObject(extended) ? extended.compute : undefined;
  return isObject(compute) && PARKED.includes(compute.ppsType ?? null);
}
