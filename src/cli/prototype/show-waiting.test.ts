import { expect, it } from 'vitest';
import { showWaiting } from './show-waiting.ts';

it('tells each wait once, one a line, and lets no server steer the terminal', () => {
  let told = '';
  const waiting = showWaiting({
    stderr: (text) => {
      told += text;
    },
    isTerminal: { stdout: false, stderr: false },
  });
  for (const what of ['Azure answered 503', 'Azure answered 503', 'changing \u001b[2Jpool']) waiting(what);
  expect(told.split('\n')).toEqual([
    'waiting: Azure answered 503',
    expect.stringMatching(/^waiting: changing [^\u001b]*pool$/),
    '',
  ]);
});
