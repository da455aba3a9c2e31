import { expect, it } from 'vitest';
import { objectsAt } from '../service/json.ts';
import { codeOf } from '../testing.ts';
import { StandbyBench } from './standby.testing.ts';

it('a runtime view has one name, and is also in a list', () => {
  const bench = new StandbyBench();
  bench.put();
  const latest = bench.ask('GET', bench.poolPath('/runtimeViews/latest'));
  expect(objectsAt(bench.ask('GET', bench.poolPath('/runtimeViews')).body, 'value')).toEqual([latest.body]);
  expect(codeOf(bench.ask('GET', bench.poolPath('/runtimeViews/oldest')))).toEqual([404, 'ResourceNotFound']);
});

it('a runtime view counts each zone of the set on its own', () => {
  const bench = new StandbyBench();
  bench.set().top.zones = ['1', '2'];
  bench.put();
  const view = bench.ask('GET', bench.poolPath('/runtimeViews/latest'));
  const summaries = objectsAt(view.body, 'properties', 'instanceCountSummary');
  expect(summaries.map(({ zone }) => zone)).toEqual([1, 2]);
  expect(bench.counts()).toEqual({ Creating: 3 });
});
