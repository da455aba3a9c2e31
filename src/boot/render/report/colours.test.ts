import { expect, test } from 'vitest';
import { groupColour, lineColour } from './colours.ts';
import { linesOfViews } from './lines.ts';
import { row, view } from './testing.ts';

test('a row, its parts and its group have the colour of the part of the boot', () => {
  const rows = [
    row('cloud-final.service', 0, 9, { group: 'cloud-init' }),
    row('module', 1, 2, { parent: 'cloud-final.service', source: 'cloud-init' }),
  ];
  const lines = linesOfViews([view(rows)]);
  expect([...lines.values()].map(lineColour)).toEqual(['cloud-init', 'cloud-init', 'cloud-init']);
  expect(groupColour('agents')).toBe('node-config');
});

test('a row outside all groups has the colour of its source', () => {
  const lines = linesOfViews([view([row('x', 0, 9, { source: 'kubelet' })])]);
  expect(lineColour(lines.get('x')!)).toBe('kubelet');
});
