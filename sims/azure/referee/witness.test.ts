import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../service/json.ts';
import type { Exchange } from '../service/listen.ts';
import type { Recorded } from './recordings.ts';
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

  it('lets a client leave out of a request what it likes', () => {
    const put = { method: 'PUT', requestBody: { location: 'x', tags: {} }, body: {} };
    const witness = makeWitness([recorded(put)]);
    const heard = witness.hear(exchange({}, { method: 'PUT', body: { location: 'y', sku: 1 } }));
    expect(heard?.findings).toMatchObject([{ side: 'request', path: '/sku', difference: 'unrecorded' }]);
  });
});
