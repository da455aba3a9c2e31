import { expect, test } from 'vitest';
import { bootDate, savingText, shareText } from './wording.ts';

test.each([
  [{ savedUs: 2e6, of: 'node-ready' }, 'Without it, node-ready is reached at most 2s sooner.'],
  [
    { savedUs: 0, of: 'node-ready' },
    'Without it, node-ready would not be reached sooner: something else takes as long.',
  ],
  [
    { savedUs: 2e6, of: 'node-ready', note: 'script started agent.service: without it, agent.service does not start' },
    'Without it, node-ready is reached at most 2s sooner. Note: script started agent.service: without it, agent.service does not start.',
  ],
  [
    { savedUs: 0, of: 'node-ready', note: 'it is a wait (platform: parked): no edit of the node makes it shorter' },
    'Without it, node-ready would not be reached sooner: it is a wait (platform: parked): no edit of the node makes it shorter.',
  ],
  [{ unknown: 'no input says why' }, 'Saving unknown: no input says why.'],
])('a saving is written with its limit %#', (saving, text) => expect(savingText(saving)).toBe(text));

test('the date is UTC, and unknown is not a date', () => {
  expect(bootDate({ wallAtZeroUs: 1_700_000_000_000_000 })).toBe('booted 2023-11-14 22:13:20 UTC');
  expect(bootDate({})).toBe('date of the boot unknown');
  expect(bootDate({ wallAtZeroUs: 1e300 })).toBe('date of the boot unknown');
});

test.each([
  [50, 100, '50 %'],
  [0.2, 100, '<1 %'],
  [0, 100, '0 %'],
  [5, 0, '0 %'],
])('%d of %d is %s', (us, totalUs, text) => expect(shareText(us, totalUs)).toBe(text));
