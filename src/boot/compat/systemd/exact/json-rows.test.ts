import { expect, test } from 'vitest';
import { jsonRows } from './json-rows.ts';

const rows = [{ time: 1, unit: 'a": b.service' }];

test('the short form is one line', () => {
  expect(jsonRows(rows, 'short')).toBe('[{"time":1,"unit":"a\\": b.service"}]\n');
  expect(jsonRows([], 'short')).toBe('[]\n');
});

test('the pretty form has tabs and a blank before the colon of a key, but not inside a value', () => {
  expect(jsonRows(rows, 'pretty')).toBe('[\n\t{\n\t\t"time" : 1,\n\t\t"unit" : "a\\": b.service"\n\t}\n]\n');
});
