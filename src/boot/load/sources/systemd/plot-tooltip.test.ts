import { expect, test } from 'vitest';
import { parseTooltip } from './plot-tooltip.ts';

test('edge case 41: the fraction of a tooltip is a number of microseconds, not decimals', () => {
  expect(
    parseTooltip(['a.service:', 'Activating: 12.045', 'Activated: 12.123456', '', 'After:', '  b.target', '  c.slice']),
  ).toEqual({
    activatingUs: 12_000_045,
    activatedUs: 12_123_456,
    edges: { after: ['b.target', 'c.slice'] },
  });
});

test('every kind of edge is read, a list goes on until the next heading, and other lines are passed over', () => {
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

test('a tooltip without stamps, as before v257, has none', () => {
  expect(parseTooltip(['a.service:', 'Activated: soon'])).toEqual({ edges: {} });
});
