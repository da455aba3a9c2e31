import { join } from 'node:path';
import { expect, test } from 'vitest';
import { boot, describeRecorded, expectDocument, FIXTURES } from './testing.ts';

describeRecorded([
  ['dot', 'analyze-dot.dot'],
  ['dot --order', 'analyze-dot-order.dot'],
]);

test('--json is one document with the edges', () => expectDocument('dot', 'SystemdDot', 'edges'));

test('the legend goes to stderr', async () => {
  const { stderr } = await boot('dot --compat=252', '-i', join(FIXTURES, 'models/r00'));
  expect(stderr).toContain('Color legend: black     = Requires\n');
});
