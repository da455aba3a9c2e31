import { expect, test } from 'vitest';
import { parseReachedLine } from './analyze-time-text.ts';

test.each([
  ['graphical.target reached after 2.843s in userspace', 'graphical.target', 2_843_000],
  ['multi-user.target reached after 1min 2.5s in userspace.', 'multi-user.target', 62_500_000],
  ['  > graphical.target was never reached', 'graphical.target', 0],
])('parseReachedLine parses %j', (text, name, atUs) => {
  expect(parseReachedLine(text)?.unit).toMatchObject({
    name,
    aliases: ['default.target'],
    activatingUs: atUs,
    activatedUs: atUs,
  });
});

test.each([
  'graphical.target reached after soon in userspace',
  'reached after 2s in userspace',
  'graphical.target reached after 2s',
  `${'a'.repeat(600)}.target reached after 2s in userspace`,
])('parseReachedLine rejects %j', (text) => {
  expect(parseReachedLine(text)).toBeUndefined();
});
