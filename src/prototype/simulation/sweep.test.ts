// Thousands of schedules in which the platform, autoscalers, operators, other runs, laptops and clocks do what they like: the rules hold.
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { requestedSeeds } from '../../base/seeds.testing.ts';
import { type Sweep, sweepSeeds } from './sweep.testing.ts';

const SCHEDULES = 5_000;
/** Of one seed of a campaign. */
const BLOCK = 1_000;
const IS_FULL = process.env.HEADSTART_CAMPAIGN === 'full';

describe.skipIf(IS_FULL)('a world that moves by itself', () => {
  it(
    `breaks no rule in ${SCHEDULES} schedules`,
    async () => {
      const startMs = performance.now();
      const sweep = await sweepSeeds(1, SCHEDULES);
      report(sweep, startMs);
      expect(sweep.stories.join('\n\n')).toBe('');
      expect(sweep.violations).toEqual([]);
      expect(sweep.schedules).toBe(SCHEDULES);
    },
    10 * 60_000,
  );
});

describe.runIf(IS_FULL)('a campaign', () => {
  vi.setConfig({ maxConcurrency: availableParallelism() });
  const idle: Worker[] = [];
  const total = { schedules: 0, violations: 0 };
  const startMs = performance.now();
  afterAll(() => Promise.all(idle.map((worker) => worker.terminate())));

  for (const seed of requestedSeeds('1-100')) {
    it.concurrent(
      `seed ${seed} breaks no rule in ${BLOCK} schedules`,
      async ({ expect: expectHere }) => {
        const worker = idle.pop() ?? new Worker(new URL('./sweep-worker.testing.ts', import.meta.url));
        const sweep = await sweptBy(worker, (seed - 1) * BLOCK + 1, seed * BLOCK);
        idle.push(worker);
        total.schedules += sweep.schedules;
        total.violations += sweep.violations.length;
        const seconds = Math.round((performance.now() - startMs) / 1000);
        console.log(`simulation: ${total.schedules} schedules, ${seconds} s, ${total.violations} violations`);
        expectHere(sweep.stories.join('\n\n')).toBe('');
      },
      24 * 3_600_000,
    );
  }
});

function report({ schedules, events, violations }: Sweep, startMs: number): void {
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  console.log(`simulation: ${schedules} schedules, ${events} events, ${seconds} s, ${violations.length} violations`);
}

function sweptBy(worker: Worker, first: number, last: number): Promise<Sweep> {
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.postMessage({ first, last });
  });
}
