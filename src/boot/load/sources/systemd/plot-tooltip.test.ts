import { expect, test } from 'vitest';
import { parseTooltip } from './plot-tooltip.ts';

test('edge case 41: the part after the dot is a number of microseconds, not a decimal fraction', () => {
  expect(
    parseTooltip(['a.service:', 'Activating: 12.045', 'Activated: 12.123456', '', 'After:', '  b.target', '  c.slice']),
  ).toEqual({
    activatingUs: 12_000_045,
    activatedUs: 12_123_456,
    edges: { after: ['b.target', 'c.slice'] },
  });
});

test('reads every kind of edge, continues a list until the next heading, and skips other lines', () => {
  const lines = [
    'a.service:',
    '  stray',
    'Before:',
    '  b.target',
    'Requires:',
    'Wants:',
    '  c.service',
    '',
    'toString',
    '  d.service',
  ];
  expect(parseTooltip(lines)).toEqual({
    edges: { before: ['b.target'], requires: [], wants: ['c.service', 'd.service'] },
  });
});

test('gives no stamps for a tooltip without them (before v257)', () => {
  expect(parseTooltip(['a.service:', 'Activated: soon'])).toEqual({ edges: {} });
});
