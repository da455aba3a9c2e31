import { expect, it } from 'vitest';
import { codeOf } from '../testing.ts';
import { poolOf } from './lookup.ts';
import { StandbyBench } from './standby.testing.ts';

it('a pool is found by its path and by its set, without regard to case', () => {
  const bench = new StandbyBench();
  bench.put();
  expect(bench.ask('GET', bench.poolPath().toUpperCase()).status).toBe(200);
  expect(poolOf(bench.world, { id: bench.set().id.toUpperCase() })?.name).toBe('warm');
  expect(poolOf(bench.world, { id: 'another' })).toBeUndefined();
  expect(codeOf(bench.ask('GET', bench.poolPath().replace('warm', 'cold')))).toEqual([404, 'ResourceNotFound']);
});
