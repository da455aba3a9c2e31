import { describe, expect, it } from 'vitest';
import { Bench } from '../testing.ts';

const SET = 'virtualMachineScaleSets/pool1';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/;

describe('the id of a request', () => {
  it('is in every answer: success, refusal, unknown path, missing token, bad api-version, operation', () => {
    const bench = new Bench();
    const operation = bench.ask('POST', `${SET}/virtualMachines/0/powerOff`);
    const answers = [
      bench.ask('GET', SET),
      bench.ask('GET', 'virtualMachineScaleSets/none'),
      bench.ask('PUT', SET, { body: {} }),
      bench.ask('GET', '/nowhere'),
      bench.ask('GET', SET, { token: null }),
      bench.ask('GET', SET, { apiVersion: '1999-01-01' }),
      operation,
      bench.ask('GET', operation.headers!['azure-asyncoperation']!),
      bench.ask('GET', operation.headers!.location!),
    ];
    const ids = answers.map(({ headers }) => headers?.['x-ms-request-id']);
    for (const id of ids) expect(id).toMatch(UUID);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { headers } of answers) {
      expect(headers?.['x-ms-correlation-request-id']).toMatch(UUID);
      expect(headers?.['x-ms-routing-request-id']).toMatch(/^WESTEUROPE:20261115T080000Z:/);
    }
  });

  it('comes with the ids of the client, if it asks for them', () => {
    const bench = new Bench();
    const sent = { 'x-ms-client-request-id': 'mine', 'x-ms-correlation-request-id': 'chain' };
    const quiet = bench.ask('GET', SET, { headers: sent }).headers;
    expect([quiet?.['x-ms-client-request-id'], quiet?.['x-ms-correlation-request-id']]).toEqual([undefined, 'chain']);
    const told = bench.ask('GET', SET, { headers: { ...sent, 'x-ms-return-client-request-id': 'true' } }).headers;
    expect(told?.['x-ms-client-request-id']).toBe('mine');
  });

  it('does not change the ids that the seed gives to resources', () => {
    const [few, many] = [new Bench(), new Bench()];
    for (let i = 0; i < 5; i++) many.ask('GET', SET);
    const grow = (bench: Bench) => bench.ask('PATCH', SET, { body: { sku: { capacity: 3 } } });
    grow(few);
    grow(many);
    expect(many.instances().map(({ vmId }) => vmId)).toEqual(few.instances().map(({ vmId }) => vmId));
  });
});
