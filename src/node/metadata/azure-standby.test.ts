// Answers in the shape of a published document of the service: `isVmInStandbyPool` is text and empty on an ordinary VM, and
// `extended.compute` has `ppsType`, whose values are those that cloud-init's DataSourceAzure knows. None was recorded on a
// VM in a pool.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json } from '../../schema/json.ts';
import { standbyReport } from './azure-standby.ts';

const ORDINARY = { compute: { hasCustomData: false, ppsType: 'None' } };
const read = (value: Json | undefined, extended: Json | undefined = ORDINARY) =>
  standbyReport({ compute: value === undefined ? {} : { isVmInStandbyPool: value }, extended });

describe('an answer of the metadata service', () => {
  it.each([undefined, '', null])('says nothing about a pool with %o', (value) => {
    expect(read(value)).toBeUndefined();
  });

  it('says that the VM is in a pool or was claimed, as text or as a boolean', () => {
    expect(['true', 'True', true].map((value) => read(value)?.is)).toEqual(['in', 'in', 'in']);
    expect(['false', 'False', false].map((value) => read(value)?.is)).toEqual(['out', 'out', 'out']);
  });

  it.each<[Json, string]>([
    [1, 'a number'],
    [{}, 'an object'],
    [[], 'a list'],
    ['secret', 'another text'],
  ])('of an unexpected type is neither, and the note does not quote it: %o', (value, what) => {
    expect(read(value)).toEqual({
      is: 'unknown',
      oddity: `expected true or false in compute.isVmInStandbyPool, got ${what}`,
    });
  });

  it.each(['Running', 'Savable', 'PreprovisionedOSDisk'])('says that the platform parked the VM: %s', (ppsType) => {
    expect(read('', { compute: { ppsType } })).toEqual({ is: 'parked' });
    expect(read('true', { compute: { ppsType } })).toEqual({ is: 'in' });
  });

  it.each<Json | undefined>([
    undefined,
    null,
    7,
    {},
    { compute: 'x' },
    { compute: { ppsType: 7 } },
    { compute: { ppsType: 'New' } },
  ])('does not say so with %o', (extended) => expect(read('', extended ?? null)).toBeUndefined());

  it('never makes it throw', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (value, extended) => void read(value as Json, extended as Json)),
    );
  });
});
