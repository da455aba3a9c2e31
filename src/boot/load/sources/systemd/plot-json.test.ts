import { expect, test } from 'vitest';
import { memoryInput } from '../../input.ts';
import { sourceSuite } from '../source.suite.ts';
import { plotJsonSource } from './plot-json.ts';

test('edge case 40: a broken row or a truncated end of plot --json does not affect the other rows', () => {
  const row = (name: string) =>
    `{"name":"${name}","activated":5,"activating":3,"time":2,"deactivated":9,"deactivating":9}`;
  const read = (json: string) => plotJsonSource.parse(memoryInput('plot.json', json))[0]!;
  const found = read(`[${row('a.service')},{"name":7},${row('b.service')},{"name":"c`);
  expect(found.units!.map((unit) => unit.name)).toEqual(['a.service', 'b.service']);
  expect(found.notes).toHaveLength(2);
  expect(read(`[${row('a.service')}]\n\n1 Units listed.\n`).notes).toEqual([]);
});

test('rejects a row with a stamp that is not a whole number of microseconds', () => {
  const read = (stamp: string) =>
    plotJsonSource.parse(memoryInput('p', `[{"name":"a.service","activated":${stamp},"activating":1}]`));
  expect(read('5')).toHaveLength(1);
  for (const stamp of ['-5', '"5"', '5.5', '1e300']) expect(read(stamp)).toEqual([]);
});

sourceSuite(
  plotJsonSource,
  '[{"name":"a.service","activated":5,"activating":3,"time":2,"deactivated":9,"deactivating":9}]\n\n1 Units listed.\n',
);
