import { expect, it } from 'vitest';
import { codeOf } from '../testing.ts';
import { StandbyBench } from './standby.testing.ts';

it('a poll before the hint is noticed', () => {
  const bench = new StandbyBench();
  bench.put();
  const url = bench.ask('DELETE', bench.poolPath()).headers?.location ?? '';
  bench.ask('GET', url);
  expect(bench.violations).toEqual([expect.stringContaining('before the hint')]);
});

it('an unknown operation is not found', () => {
  const bench = new StandbyBench();
  const scope = `/subscriptions/${bench.world.subscriptionId}/providers/Microsoft.StandbyPool`;
  expect(codeOf(bench.ask('GET', `${scope}/locations/WESTEUROPE/operationStatuses/1*2`))).toEqual([404, 'NotFound']);
});
