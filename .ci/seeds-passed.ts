// .ci/seeds-passed.ts: a reporter of Vitest that notes each seed whose test passed at once, so that a stopped campaign goes on from there.
import { appendFileSync } from 'node:fs';
import type { Reporter, TestCase } from 'vitest/node';

export default class SeedsPassed implements Reporter {
  onTestCaseResult(test: TestCase): void {
    const [, seed] = /\bseed (\d+)\b/.exec(test.name) ?? [];
    const file = process.env.HEADSTART_SEEDS_PASSED;
    if (seed && file && test.result().state === 'passed') appendFileSync(file, `${seed}\n`);
  }
}
