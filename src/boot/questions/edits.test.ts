import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { UserError } from '../../base/errors.ts';
import { caught } from '../testing.ts';
import { parseEdit, renderEdit, type WhatIfEdit } from './edits.ts';

describe('parseEdit', () => {
  it.each([
    [
      'add',
      'a.service After=b.service c.service After=d.service Took=1min 2s',
      { kind: 'add', unit: 'a.service', after: ['b.service', 'c.service', 'd.service'], tookUs: 62_000_000 },
    ],
    ['add', 'a.service', { kind: 'add', unit: 'a.service', after: [], tookUs: 0 }],
    ['set', 'a@x=y.service=200ms', { kind: 'set', unit: 'a@x=y.service', tookUs: 200_000 }],
    ['after', ' a.service  b.service ', { kind: 'after', unit: 'a.service', dependency: 'b.service' }],
    ['mask', 'a.service', { kind: 'mask', unit: 'a.service' }],
  ] as const)('reads --%s %s', (kind, text, expected) => {
    expect(parseEdit(kind, text)).toEqual(expected);
    const written = renderEdit(parseEdit(kind, text));
    expect(parseEdit(kind, /'(.*)'/.exec(written)![1]!)).toEqual(expected);
  });

  it.each([
    ['add', ''],
    ['add', 'a.service Until=b'],
    ['add', 'a.service b.service'],
    ['add', 'a.service Took=fast'],
    ['set', 'a.service'],
    ['set', '=2s'],
    ['set', 'a.service=-2s'],
    ['after', 'a.service'],
    ['drop-after', 'a b c'],
    ['mask', 'a b'],
  ] as const)('refuses --%s %j', (kind, text) => {
    expect(caught(() => parseEdit(kind, text)).code).toBe('boot/bad-edit');
  });

  it('throws only UserErrors for any other text', () => {
    fc.assert(
      fc.property(fc.constantFrom('add', 'after', 'drop-after', 'set', 'mask'), fc.string(), (kind, text) => {
        try {
          parseEdit(kind as WhatIfEdit['kind'], text);
        } catch (error) {
          expect(error).toBeInstanceOf(UserError);
        }
      }),
    );
  });
});
