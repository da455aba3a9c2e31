// bench/requests.ts: how many requests does a verb send before it changes anything, by the size of the pool?
import {
  LARGE_POOL,
  MOST_FOR_POOL,
  mostForInstances,
  type RequestLab,
  requestLab,
} from '../src/cli/prototype/requests.testing.ts';
import type { Bench, Figure } from './figure.ts';

const SIZES = [3, 300, 1000];

export async function measureRequests({ progress }: Bench): Promise<Figure[]> {
  const [{ rollbackVerb }, { planVerb }, { runVerb }] = await Promise.all([
    import('../src/cli/prototype/rollback.ts'),
    import('../src/cli/prototype/plan.ts'),
    import('../src/cli/prototype/run.ts'),
  ]);
  const pool = ['--pool', LARGE_POOL];
  const cases = [
    { name: 'rollback', most: () => MOST_FOR_POOL, verb: rollbackVerb, argv: () => [...pool, '--to', 'original'] },
    { name: 'plan', most: mostForInstances, verb: planVerb, argv: () => pool },
    { name: 'run', most: mostForInstances, verb: runVerb, argv: () => [...pool, '--without-way-back'] },
    {
      name: 'run --node',
      most: mostForInstances,
      verb: runVerb,
      argv: ({ nodes }: RequestLab) => ['--node', nodes[1]!, '--without-way-back'],
    },
  ];
  const figures: Figure[] = [];
  for (const mode of ['Uniform', 'Flexible'] as const) {
    const rows = new Map(
      cases.map(({ name }) => [name, [] as { requests: number; throttled: number; most: number }[]]),
    );
    for (const size of SIZES) {
      progress(`requests before the first change in a ${mode} pool of ${size} nodes`);
      const lab = await requestLab(mode, size);
      try {
        for (const { name, verb, argv, most } of cases) {
          const { requests, throttled, hasReachedChange, code, stderr } = await lab.count(verb, ...argv(lab));
          if (!hasReachedChange && code !== 0) throw new Error(`${name} failed: ${stderr}`);
          rows.get(name)!.push({ requests, throttled, most: most(size) });
        }
      } finally {
        await lab.end();
      }
    }
    for (const [name, row] of rows) {
      figures.push({
        name: `requests of ${name} before its first change, ${mode} pool of ${SIZES.join(' / ')} nodes`,
        goal: `at most ${row.map(({ most }) => most).join(' / ')}, none throttled`,
        met: row.every(({ requests, throttled, most }) => requests <= most && throttled === 0),
        said: row.map(({ requests }) => requests).join(' / '),
        measured: { sizes: SIZES, rows: row },
      });
    }
  }
  return figures;
}
