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
