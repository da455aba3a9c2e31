import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { scrubInit, scrubItems } from './scrub-init.ts';

const WORKS = [
  { hasScript: true },
  { hasScript: false, cloudInit: 'off' as const },
  { hasScript: true, cloudInit: 'off' as const },
];

it.each(WORKS)('runs the requested steps and no others: $hasScript, $cloudInit', (work) => {
  const text = scrubInit(work);
  const steps = [...text.matchAll(/^step (\S+) (\S+)/gm)];
  expect(steps.map(([, item]) => item)).toEqual(scrubItems(work));
  for (const [, , command] of steps) expect(command).not.toBe('undefined');
  expect(text.includes('\nstep script')).toBe(work.hasScript);
  expect(text.includes('\nstep disable-cloud-init')).toBe(work.cloudInit === 'off');
});

it('is valid shell syntax', () => {
  for (const work of WORKS)
    expect(spawnSync('sh', ['-n'], { input: scrubInit(work), encoding: 'utf8' }).stderr).toBe('');
});
