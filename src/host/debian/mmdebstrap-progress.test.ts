import { expect, it } from 'vitest';
import { mmdebstrapProgress } from './mmdebstrap-progress.ts';

it('says which step mmdebstrap is at, whatever pieces its words come in', () => {
  const said =
    'I: downloading packages with apt...\nI: installing remaining packages\nUnpacking a (1)\nSetting up a (1)\n';
  for (const size of [1, 7, 1000]) {
    const told: string[] = [];
    const listen = mmdebstrapProgress({
      count: 1,
      onWaiting: (what, percent) => told.push(`${what} ${percent ?? ''}`.trim()),
    });
    for (let at = 0; at < said.length; at += size) listen(said.slice(at, at + size));
    expect(told.at(-1)).toBe('all packages to be installed 100');
  }
});

it('a share is told only while packages are installed, in steps of ten', () => {
  const told: [string, number?][] = [];
  const listen = mmdebstrapProgress({
    count: 100,
    onWaiting: (what, percent) => told.push([what, ...(percent === undefined ? [] : [percent])] as [string, number?]),
  });
  listen('I: downloading packages with apt...\n');
  listen('I: installing remaining packages\nUnpacking a (1)\n');
  listen('Setting up a (1)\n'.repeat(25));
  expect(told).toEqual([
    ['the packages to be downloaded'],
    ['all packages to be installed', 0],
    ['all packages to be installed', 10],
  ]);
});
