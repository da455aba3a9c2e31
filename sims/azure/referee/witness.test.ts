import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Json, JsonObject } from '../service/json.ts';
import type { Exchange } from '../service/listen.ts';
import { openHearing } from './hearing.ts';
import type { Recorded } from './recordings.ts';
import { addToShape, differences, type Shape } from './shape.ts';
import { makeWitness } from './witness.ts';

const GROUP = '/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute';
const LIST = `${GROUP}/virtualMachineScaleSets/set/virtualMachines`;
const recorded = (parts: Partial<Recorded>): Recorded => ({
  method: 'GET',
  url: `${GROUP}/snapshots/one?api-version=2023-10-02`,
  requestBody: null,
  status: 200,
  headers: {},
  body: { name: 'one', properties: { diskSizeGB: 30 }, tags: { any: 'key' } },
  ...parts,
});
const exchange = (answer: JsonObject, parts: Partial<Exchange> = {}): Exchange => ({
  method: 'GET',
  path: `${GROUP}/Snapshots/other`,
  query: '',
  headers: {},
  body: {},
  answer: { status: 200, body: answer },
  atMs: 0,
  ...parts,
});
const shapeOf = (...documents: Json[]): Shape => {
  const shape: Shape = new Map();
  for (const document of documents) addToShape(shape, document);
  return shape;
};

describe('the shape of documents', () => {
  const documents = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

  it('is met by every document it was learnt from, whatever was in them', () => {
    fc.assert(
      fc.property(fc.array(documents, { minLength: 1, maxLength: 6 }), (all) => {
        const shape = shapeOf(...all);
        for (const one of all) expect([...differences(shape, one).found]).toEqual([]);
      }),
    );
  });

  it('does not depend on the order in which documents were seen', () => {
    fc.assert(
      fc.property(fc.array(documents, { maxLength: 6 }), documents, (all, other) => {
        const [one, two] = [differences(shapeOf(...all), other), differences(shapeOf(...all.toReversed()), other)];
        expect(one.fields).toBe(two.fields);
        expect(new Map([...one.found].sort())).toEqual(new Map([...two.found].sort()));
      }),
    );
  });

  it.each<[string, Json, string, string]>([
    ['a field that is always there', { b: 1 }, '/a', 'lacking'],
    ['a field that was never there', { a: { x: 1 }, z: 1 }, '/z', 'unrecorded'],
    ['a number where there was an object', { a: 1 }, '/a', 'contradicted'],
    ['null where there never was one', { a: null }, '/a', 'contradicted'],
    ['a field in an item of a list', { a: {}, l: [{ q: 1 }, {}] }, '/l/[]/q', 'lacking'],
  ])('tells %s', (_, document, path, difference) => {
    const shape = shapeOf({ a: { x: 1 }, b: 1, l: [{ q: 2 }] }, { a: {}, l: [] });
    expect(differences(shape, document).found.get(path)).toBe(difference);
  });

  it('looks at no key of tags: they are data', () => {
    expect([...differences(shapeOf({ tags: { a: 'x' } }), { tags: { b: 'y' } }).found]).toEqual([]);
  });
});

describe('the second referee', () => {
  it('hears nothing of what was never recorded', () => {
    const witness = makeWitness([recorded({})]);
    expect(witness.hear(exchange({}, { method: 'DELETE' }))).toBeUndefined();
    expect(witness.hear(exchange({}, { path: '/somewhere/else' }))).toBeUndefined();
  });

  it('knows the items of a list as the things they are', () => {
    const witness = makeWitness([recorded({ url: LIST, body: { value: [{ id: 'x', instanceId: '0' }] } })]);
    const heard = witness.hear(exchange({ id: 'y' }, { path: `${LIST}/3` }));
    expect(heard?.findings).toMatchObject([{ side: 'answer', path: '/instanceId', difference: 'lacking' }]);
  });

  it('does not ask of a running operation what an ended one has', () => {
    const url = `/subscriptions/s/providers/Microsoft.Compute/locations/l/operations/`;
    const ended = recorded({ url: `${url}1`, body: { name: '1', status: 'Succeeded', endTime: 'x' } });
    const running = recorded({ url: `${url}2`, body: { name: '2', status: 'InProgress' } });
    const witness = makeWitness([ended, running]);
    const at = { path: `${url}9` };
    expect(witness.hear(exchange({ name: '9', status: 'InProgress' }, at))?.findings).toEqual([]);
    expect(witness.hear(exchange({ name: '9', status: 'Succeeded' }, at))?.findings).toHaveLength(1);
    expect(witness.hear(exchange({ name: '9', status: 'Failed' }, at))).toBeUndefined();
  });

  it('rejects what is missing or of another type, and counts what nobody recorded', () => {
    const hearing = openHearing(makeWitness([recorded({})]));
    const rejected = hearing.hear(exchange({ name: 5, properties: { diskSizeGB: 1, extra: true } }));
    expect(rejected).toEqual([
      {
        exchange: `GET ${GROUP}/Snapshots/other → 200`,
        side: 'answer',
        findings: ['no recording has this type of /name', 'every recorded answer has /tags'],
      },
    ]);
    expect(hearing.report()).toMatchObject({
      heard: 1,
      leftOut: [],
      unrecorded: ['GET snapshots/{snapshot} 200 answer /properties/extra'],
    });
  });

  it('lets a client leave out of a request what it likes', () => {
    const put = { method: 'PUT', requestBody: { location: 'x', tags: {} }, body: {} };
    const witness = makeWitness([recorded(put)]);
    const heard = witness.hear(exchange({}, { method: 'PUT', body: { location: 'y', sku: 1 } }));
    expect(heard?.findings).toMatchObject([{ side: 'request', path: '/sku', difference: 'unrecorded' }]);
  });
});
