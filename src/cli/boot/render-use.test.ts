import { expect, it } from 'vitest';
import { renderUse } from './render-use.ts';

it.each([
  [{ cpuUs: 400_123, isStartOnly: false, verdict: 'waiting' as const }, 'at most 400ms CPU: mostly waiting'],
  [{ cpuUs: 9e6, isStartOnly: true, verdict: 'cpu-bound' as const }, '9s CPU: CPU-bound'],
  [{ cpuUs: 5e6, isStartOnly: true }, '5s CPU'],
  [{ cpuUs: 900e6, isStartOnly: false }, ''], // used since the start
  [
    { cpuUs: 1e6, readBytes: 120e6, writtenBytes: 3e6, isStartOnly: false },
    'at most 1s CPU, 120 MB read, 3 MB written',
  ],
  [{ readBytes: 10, isStartOnly: true }, ''],
  [undefined, ''],
])('renderUse(%j) of a start of 11 s', (use, text) => {
  expect(renderUse(use, 11e6)).toBe(text);
});
