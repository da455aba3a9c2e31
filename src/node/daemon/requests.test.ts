import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../schema/json.ts';
import type { NodeStatus } from '../status/node-status.ts';
import type { Daemon, OrderRequest } from './loop.ts';
import { INITIAL } from './machine.ts';
import { answerRequests, resultIn } from './requests.ts';
import type { OrderResult } from './state.ts';

const status = { phase: 'Applied' } as NodeStatus;

function world(answer: OrderResult) {
  const orders: OrderRequest[] = [];
  const signals: string[] = [];
  const daemon: Daemon = {
    run: async () => {},
    announce: () => {},
    resumed: () => {},
    join: () => signals.push('join'),
    state: () => INITIAL,
    signal: (by) => signals.push(by),
    order: async (order) => {
      orders.push(order);
      return answer;
    },
  };
  const ask = (request: JsonObject) => answerRequests(daemon, () => status)(request, new AbortController().signal);
  return { orders, signals, ask };
}

const refused: OrderResult = { refused: { code: 'config/invalid', detail: 'x' } };

describe('a request over the socket', () => {
  it('returns the status, or triggers a fetch', async () => {
    const { ask, signals } = world(refused);
    expect(await ask({ do: 'status' })).toEqual({ status });
    expect(await ask({ do: 'look' })).toEqual({ status });
    expect(signals).toEqual(['the socket']);
  });

  it('gives an order and returns its result', async () => {
    const { ask, orders } = world(refused);
    const answer = (await ask({
      do: 'apply',
      document: Buffer.from('hello').toString('base64'),
      origin: 'file x',
    })) as JsonObject;
    expect(orders).toEqual([{ what: 'apply', document: Buffer.from('hello'), origin: 'file x' }]);
    expect(resultIn(answer)).toEqual({ code: 'config/invalid', reason: 'x' });
    await ask({ do: 'roll-back', to: 3 });
    await ask({ do: 'roll-back' });
    await ask({ do: 'keep' });
    expect(orders.slice(1)).toEqual([
      { what: 'roll-back', to: 3 },
      { what: 'roll-back', to: undefined },
      { what: 'keep' },
    ]);
  });

  it('lets a node in standby join', async () => {
    const { ask, signals } = world(refused);
    expect(await ask({ do: 'join' })).toEqual({ status });
    expect(signals).toEqual(['join']);
  });

  it('returns an error of the order', async () => {
    const error = { code: 'node/no-such-generation', message: 'x' };
    expect(await world({ error }).ask({ do: 'roll-back', to: 9 })).toMatchObject({ error });
  });

  it.each<JsonObject>([
    {},
    { do: 'reboot' },
    { do: 'apply' },
    { do: 'apply', origin: 'x', document: 7 },
    { do: 'roll-back', to: '3' },
    { do: 'roll-back', to: -1 },
    { do: 'roll-back', to: 1.5 },
    { do: 'constructor' },
  ])('that is invalid is refused: %o', async (request) => {
    const { ask, orders } = world(refused);
    expect(await ask(request)).toMatchObject({ error: { code: 'node/bad-request' } });
    expect(orders).toEqual([]);
  });

  it('with an invalid answer has no result', () => {
    for (const answer of [{}, { result: 7 }, { result: { code: 7, reason: 'x' } }])
      expect(resultIn(answer)).toBeUndefined();
  });
});
