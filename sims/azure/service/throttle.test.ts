import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bench } from '../testing.ts';
import { objectsAt, stringAt } from './json.ts';

const SET = 'virtualMachineScaleSets/pool1';

describe('throttling', () => {
  it('lets a burst through, returns the rest, then a time to wait', () => {
    const bench = new Bench();
    const answers = Array.from({ length: 37 }, () => bench.ask('GET', SET));
    expect(answers[0]?.headers?.['x-ms-ratelimit-remaining-resource']).toBe(
      'Microsoft.Compute/GetVMScaleSetResource;35',
    );
    const refused = answers[36]!;
    expect(refused.status).toBe(429);
    expect(refused.headers?.['retry-after']).toBe('5');
    expect(stringAt(refused.body, 'error', 'code')).toBe('OperationNotAllowed');
    expect(objectsAt(refused.body, 'error', 'details')[0]?.code).toBe('TooManyRequests');
    bench.nowMs += 5000;
    expect(bench.ask('GET', SET).status).toBe(200);
    expect(bench.violations).toEqual([]);
  });

  it('extends the wait of a client that retries early', () => {
    const bench = new Bench();
    for (let i = 0; i < 36; i++) bench.ask('GET', SET);
    const first = bench.ask('GET', SET);
    bench.nowMs += 1000;
    const early = bench.ask('GET', SET);
    expect(Number(early.headers?.['retry-after'])).toBeGreaterThan(Number(first.headers?.['retry-after']) - 1);
    expect(bench.violations).toHaveLength(1);
  });

  it('is per resource', () => {
    const bench = new Bench();
    for (let i = 0; i < 36; i++) bench.ask('GET', `${SET}/virtualMachines/0`);
    expect(bench.ask('GET', `${SET}/virtualMachines/0`).status).toBe(429);
    expect(bench.ask('GET', `${SET}/virtualMachines/1`).status).toBe(200);
  });

  it('also counts the requests to the whole subscription, of each kind', () => {
    const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 3 }] });
    const left = (method: string, path: string, body = {}) => {
      const entries = Object.entries(bench.ask(method, path, { body }).headers ?? {});
      return Object.fromEntries(entries.filter(([name]) => name.startsWith('x-ms-ratelimit-remaining-subscription')));
    };
    const of = (kind: string, rest: number, all: number) => ({
      [`x-ms-ratelimit-remaining-subscription-${kind}`]: String(rest),
      [`x-ms-ratelimit-remaining-subscription-global-${kind}`]: String(all),
    });
    expect(left('GET', SET)).toEqual(of('reads', 249, 3749));
    expect(left('GET', 'disks/none')).toEqual(of('reads', 248, 3748));
    expect(left('PATCH', SET, { tags: {} })).toEqual(of('writes', 199, 2999));
    expect(left('POST', `${SET}/virtualMachines/0/restart`)).toEqual(of('writes', 198, 2998));
    expect(left('DELETE', `${SET}/virtualMachines/1`)).toEqual(of('deletes', 199, 2999));
  });

  it('refuses what the subscription has no more requests for, whatever it is about', () => {
    const bench = new Bench();
    const read = (i: number) => bench.ask('GET', `disks/none${i}`);
    for (let i = 0; i < 250; i++) expect(read(i).status).toBe(404);
    const refused = read(250);
    expect([refused.status, refused.headers?.['retry-after']]).toEqual([429, '1']);
    expect(stringAt(refused.body, 'error', 'code')).toBe('SubscriptionRequestsThrottled');
    expect(bench.ask('PATCH', SET, { body: { tags: {} } }).status).toBe(200);
    bench.nowMs += 1000;
    expect(read(251).status).toBe(404);
    expect(bench.violations).toEqual([]);
  });

  it('never refuses a client twice in a row if it honours every wait', () =>
    fc.assert(
      fc.property(fc.array(fc.nat(4000), { maxLength: 80 }), (pauses) => {
        const bench = new Bench({ scaleSets: [{ name: 'pool1', instances: 0 }] });
        for (const pause of pauses) {
          bench.nowMs += pause;
          const answer = bench.ask('GET', SET);
          if (answer.status !== 429) continue;
          bench.nowMs += Number(answer.headers?.['retry-after']) * 1000;
          expect(bench.ask('GET', SET).status).toBe(200);
        }
        expect(bench.violations).toEqual([]);
      }),
      { numRuns: 30 },
    ));
});
