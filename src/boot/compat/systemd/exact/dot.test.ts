import { expect, test } from 'vitest';
import { boot, unit } from '../testing.ts';
import { analyze, NEWEST } from './testing.ts';

test('dot draws BindsTo in gold from v256 on', () => {
  const record = boot([unit('a.service', 3, 5, { bindsTo: ['b.device'] })]);
  expect(analyze(record, ['dot']).stdout).not.toContain('b.device');
  expect(analyze(record, ['dot'], NEWEST).stdout).toContain('\t"a.service"->"b.device" [color="gold"];\n');
  expect(analyze(record, ['dot'], NEWEST).stderr).toContain('gold      = BindsTo\n');
});
