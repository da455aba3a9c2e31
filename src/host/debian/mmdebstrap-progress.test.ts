import { expect, it } from 'vitest';
import { mmdebstrapProgress } from './mmdebstrap-progress.ts';

it('reports the current step of mmdebstrap, however its output is split', () => {
  const output =
    'I: downloading packages with apt...\nI: installing remaining packages\nUnpacking a (1)\nSetting up a (1)\n';
  for (const size of [1, 7, 1000]) {
    const messages: string[] = [];
    const listen = mmdebstrapProgress({
      count: 1,
      onWaiting: (what, percent) => messages.push(`${what} ${percent ?? ''}`.trim()),
    });
    for (let at = 0; at < output.length; at += size) listen(output.slice(at, at + size));
    expect(messages.at(-1)).toBe('all packages to be installed 100');
  }
});

it('reports a percentage only while packages are installed, in steps of ten', () => {
  const messages: [string, number?][] = [];
  const listen = mmdebstrapProgress({
    count: 100,
    onWaiting: (what, percent) =>
      messages.push([what, ...(percent === undefined ? [] : [percent])] as [string, number?]),
  });
  listen('I: downloading packages with apt...\n');
  listen('I: installing remaining packages\nUnpacking a (1)\n');
  listen('Setting up a (1)\n'.repeat(25));
  expect(messages).toEqual([
    ['the packages to be downloaded'],
    ['all packages to be installed', 0],
    ['all packages to be installed', 10],
  ]);
});
