import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ConnectSite } from '../compose/connect-site.ts';
import type { Verb } from '../verb.ts';
import { candidatesVerb } from './candidates.ts';
import { costVerb } from './cost.ts';
import { planVerb } from './plan.ts';
import { pruneVerb } from './prune.ts';
import { LARGE_POOL, MOST_FOR_POOL, mostForInstances, type RequestLab, requestLab } from './requests.testing.ts';
import { rollbackVerb } from './rollback.ts';
import { runVerb } from './run.ts';
import { statusVerb } from './status.ts';
import { uninstallVerb } from './uninstall.ts';

interface Case {
  verb: (connect: ConnectSite) => Verb;
  argv(lab: RequestLab): string[];
  most(size: number): number;
}

const byPool = ['--pool', LARGE_POOL];
const poolOnly = () => MOST_FOR_POOL;

const CASES: Readonly<Record<string, Case>> = {
  rollback: { verb: rollbackVerb, argv: () => [...byPool, '--to', 'original'], most: poolOnly },
  cost: { verb: costVerb, argv: () => byPool, most: poolOnly },
  prune: { verb: pruneVerb, argv: () => [...byPool, '--dry-run'], most: poolOnly },
  candidates: { verb: candidatesVerb, argv: () => byPool, most: mostForInstances },
  'status --pool': { verb: statusVerb, argv: () => byPool, most: mostForInstances },
  'plan --pool': { verb: planVerb, argv: () => [...byPool, '--inspect', '--without-way-back'], most: mostForInstances },
  'plan --node': {
    verb: planVerb,
    argv: ({ nodes }) => ['--node', nodes[1]!, '--inspect', '--without-way-back'],
    most: mostForInstances,
  },
  'run --pool': { verb: runVerb, argv: () => [...byPool, '--without-way-back'], most: mostForInstances },
  'run --node': {
    verb: runVerb,
    argv: ({ nodes }) => ['--node', nodes[1]!, '--without-way-back'],
    most: mostForInstances,
  },
  uninstall: { verb: uninstallVerb, argv: () => [...byPool, '--dry-run'], most: mostForInstances },
  // Two pools, and flexible instances are listed for their owners too.
  status: { verb: statusVerb, argv: () => [], most: (size) => 25 + 2 * Math.ceil(size / 100) },
};

describe.each([
  ['Uniform', 3, Object.keys(CASES)],
  ['Uniform', 300, Object.keys(CASES)],
  ['Uniform', 1000, ['rollback', 'plan --node', 'run --pool']],
  ['Flexible', 3, Object.keys(CASES)],
  ['Flexible', 300, ['rollback', 'prune', 'status', 'plan --pool', 'run --node']],
  ['Flexible', 1000, ['rollback', 'run --pool']],
] as const)('in a cluster with a %s pool of %i nodes', (mode, size, names) => {
  let lab: RequestLab;
  beforeAll(async () => {
    lab = await requestLab(mode, size);
  }, 60_000);
  afterAll(() => lab.end());

  it.each(names)(
    '%s sends few requests before the first change, and none is throttled',
    { timeout: 60_000 },
    async (name) => {
      const { verb, argv, most } = CASES[name]!;
      const counted = await lab.count(verb, ...argv(lab));
      expect(counted.hasReachedChange || counted.code === 0, counted.stderr).toBe(true);
      expect(counted.requests, counted.sent.join('\n')).toBeLessThanOrEqual(most(size));
      expect(counted.throttled).toBe(0);
    },
  );
});
