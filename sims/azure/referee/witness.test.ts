import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../service/json.ts';
import type { HttpExchange } from '../service/listen.ts';
import type { RecordedExchange } from './recordings.ts';
import { makeWitness } from './witness.ts';

const GROUP = '/subscriptions/s/resourceGroups/r/providers/Microsoft.Compute';
const LIST = `${GROUP}/virtualMachineScaleSets/set/virtualMachines`;
const recorded = (parts: Partial<RecordedExchange>): RecordedExchange => ({
  method: 'GET',
  url: `${GROUP}/snapshots/one?api-version=2023-10-02`,
  requestBody: null,
  status: 200,
  headers: {},
  body: { name: 'one', properties: { diskSizeGB: 30 }, tags: { any: 'key' } },
  ...parts,
});
const exchange = (answer: JsonObject, parts: Partial<HttpExchange> = {}): HttpExchange => ({
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
  it('ignores exchanges without a recording', () => {
    const witness = makeWitness([recorded({})]);
    expect(witness.hear(exchange({}, { method: 'DELETE' }))).toBeUndefined();
    expect(witness.hear(exchange({}, { path: '/somewhere/else' }))).toBeUndefined();
  });

  it('checks the items of a list like single resources', () => {
    const witness = makeWitness([recorded({ url: LIST, body: { value: [{ id: 'x', instanceId: '0' }] } })]);
    const heard = witness.hear(exchange({ id: 'y' }, { path: `${LIST}/3` }));
    expect(heard?.findings).toMatchObject([{ side: 'answer', path: '/instanceId', difference: 'lacking' }]);
  });

  it('does not expect the fields of a finished operation in a running one', () => {
    const url = `/subscriptions/s/providers/Microsoft.Compute/locations/l/operations/`;
    const ended = recorded({ url: `${url}1`, body: { name: '1', status: 'Succeeded', endTime: 'x' } });
    const running = recorded({ url: `${url}2`, body: { name: '2', status: 'InProgress' } });
    const witness = makeWitness([ended, running]);
    const at = { path: `${url}9` };
    expect(witness.hear(exchange({ name: '9', status: 'InProgress' }, at))?.findings).toEqual([]);
    expect(witness.hear(exchange({ name: '9', status: 'Succeeded' }, at))?.findings).toHaveLength(1);
    expect(witness.hear(exchange({ name: '9', status: 'Failed' }, at))).toBeUndefined();
  });

  it('lets a client omit fields of a request', () => {
    const put = { method: 'PUT', requestBody: { location: 'x', tags: {} }, body: {} };
    const witness = makeWitness([recorded(put)]);
    const heard = witness.hear(exchange({}, { method: 'PUT', body: { location: 'y', sku: 1 } }));
    expect(heard?.findings).toMatchObject([{ side: 'request', path: '/sku', difference: 'unrecorded' }]);
  });
});
