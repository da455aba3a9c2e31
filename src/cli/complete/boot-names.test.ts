import { expect, it } from 'vitest';
import type { BootRecord } from '../../boot/model/record.ts';
import { bootNames } from './boot-names.ts';

const boot = (bootId: string, wallAtZeroUs?: number) =>
  ({ bootId, host: { hostname: 'n1' }, clock: { wallAtZeroUs }, units: [] }) as unknown as BootRecord;

it('bootNames numbers boots from the last one back, and describes each', () => {
  const found = bootNames(
    'boots',
    [boot('aaaaaaaabbbb'), boot('ccccccccdddd', Date.UTC(2026, 0, 2, 3, 4) * 1000)],
    '0',
    '',
  );
  expect(found).toEqual([
    { value: '0', summary: 'the last boot · n1 · 2026-01-02 03:04 · cccccccc' },
    { value: '-1', summary: 'n1 · aaaaaaaa' },
  ]);
});
