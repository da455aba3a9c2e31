import { describe, expect, it } from 'vitest';
import { type BicepTypes, type Side, typeFindings } from './bicep-types.ts';

const types: BicepTypes = [
  { $type: 'StringType', pattern: '^[a-z]+$' },
  { $type: 'IntegerType', minValue: 0, maxValue: 9 },
  {
    $type: 'ObjectType',
    name: 'things',
    properties: {
      name: { type: { $ref: '#/0' }, flags: 9 },
      size: { type: { $ref: '#/1' }, flags: 1 },
      state: { type: { $ref: '#/3' }, flags: 2 },
      parts: { type: { $ref: '#/4' }, flags: 0 },
      tags: { type: { $ref: '#/6' }, flags: 0 },
      isOn: { type: { $ref: '#/8' }, flags: 0 },
    },
  },
  { $type: 'UnionType', elements: [{ $ref: '#/5' }, { $ref: '#/7' }] },
  { $type: 'ArrayType', itemType: { $ref: '#/1' } },
  { $type: 'StringLiteralType', value: 'On' },
  { $type: 'ObjectType', name: 'tags', properties: {}, additionalProperties: { $ref: '#/0' } },
  { $type: 'StringLiteralType', value: 'Off' },
  { $type: 'BooleanType' },
];
const whole = { name: 'a', size: 1 };

describe('a document', () => {
  it.each<[string, Side, object, string[]]>([
    ['is fine', 'answer', { ...whole, state: 'on', parts: [1, 2], tags: { x: 'y' }, isOn: true }, []],
    ['lacks a required field', 'answer', { name: 'a' }, ['/size: is missing']],
    ['need not have its name in a request', 'PUT', { size: 1 }, []],
    ['need not have anything in a change', 'PATCH', {}, []],
    ['may not set what is read-only', 'PUT', { size: 1, state: 'On' }, ['/state: is read-only']],
    ['has an unknown field', 'answer', { ...whole, colour: 1 }, ['/colour: is not a field of things']],
    [
      'has a number that is too large',
      'answer',
      { ...whole, size: 10 },
      ['/size: expected a whole number from 0 to 9, got 10'],
    ],
    [
      'has a text that does not match',
      'answer',
      { ...whole, name: 'A' },
      ['/name: expected a text like ^[a-z]+$, got "A"'],
    ],
    ['has none of several values', 'answer', { ...whole, state: 'Odd' }, [`/state: expected 'On', got "Odd"`]],
    [
      'has a wrong item',
      'answer',
      { ...whole, parts: [1, 'x'] },
      ['/parts/1: expected a whole number from 0 to 9, got "x"'],
    ],
    ['has no list', 'answer', { ...whole, parts: {} }, ['/parts: expected a list, got {}']],
    ['has a wrong tag', 'answer', { ...whole, tags: { x: 1 } }, ['/tags/x: expected a text, got 1']],
    ['has no boolean', 'answer', { ...whole, isOn: 1 }, ['/isOn: expected true or false, got 1']],
  ])('%s', (_, side, document, expected) => {
    expect(typeFindings(types, 'Things', document as never, side)).toEqual(expected);
  });

  it('of an unknown type is not fine', () => {
    expect(typeFindings(types, 'none', {}, 'answer')).toEqual(['there is no type none']);
    expect(typeFindings(types, 'things', null, 'answer')).toEqual(['/: expected an object, got null']);
  });
});
