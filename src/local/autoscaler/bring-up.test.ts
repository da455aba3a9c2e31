import { describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import type { Instance } from '../../vms/pools.ts';
import { type BringUpDeps, openBringUp } from './bring-up.ts';

const pool = { id: 'pools/web', name: 'web' };
const instance = (id: string) => ({ ref: { pool, id }, computerName: id }) as Instance;

function open(awaitUp: BringUpDeps['guests']['awaitUp']) {
  const reports: string[] = [];
  const stopping = new AbortController();
  const report = (what: string) => void reports.push(what);
  return { reports, stopping, ups: openBringUp({ guests: { awaitUp }, report, signal: stopping.signal }) };
}

const untilAborted: BringUpDeps['guests']['awaitUp'] = (_, { signal }) =>
  new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason), { once: true }));

describe('bringing nodes up', () => {
  it('waits for each of them for 15 minutes', async () => {
    const waited: [string, number][] = [];
    const { ups, reports } = open(async ({ id }, { deadlineMs }) => void waited.push([id, deadlineMs]));
    ups.start(instance('a'));
    ups.start(instance('b'));
    await ups.ended();
    expect(waited).toEqual([
      ['a', 900_000],
      ['b', 900_000],
    ]);
    expect(reports).toEqual([]);
  });

  it('reports a node that does not come up, with its name once', async () => {
    const errors = [new Error('a is not running'), new TransientError('not reached', { code: 'cluster/unreachable' })];
    const { ups, reports } = open(() => Promise.reject(errors.shift()));
    ups.start(instance('a'));
    ups.start(instance('b'));
    await ups.ended();
    expect(reports).toEqual(['a is not running', 'b did not come up: not reached']);
  });

  it('reports a claimed node that had to boot', async () => {
    const { ups, reports } = open(async (_, { onBoot }) => onBoot?.('it was not Ready'));
    ups.start(instance('a'));
    await ups.ended();
    expect(reports).toEqual(['a was cold: it was not Ready']);
  });

  it('ends for a node that is being deleted, and for all with the signal, and reports neither', async () => {
    const { ups, reports, stopping } = open(untilAborted);
    ups.start(instance('a'));
    ups.start(instance('b'));
    let isEnded = false;
    const ended = ups.ended().then(() => {
      isEnded = true;
    });
    ups.leave('a');
    ups.leave('unknown');
    await new Promise(setImmediate);
    expect(isEnded).toBe(false);
    stopping.abort();
    await ended;
    expect(reports).toEqual([]);
  });
});
