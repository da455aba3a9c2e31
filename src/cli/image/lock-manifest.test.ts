import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { manifestText } from '../../image/manifest/manifests.testing.ts';
import { runVerb } from '../testing.ts';
import { verb } from './lock.ts';

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'lock-manifest-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

it('withPackages deletes its folder and those of killed processes, but not those of running ones', async () => {
  const apt = join(top, 'cache', 'apt');
  const nowS = 1_800_000_000;
  for (const [name, ageS] of [
    ['lock-old', 30 * 3600],
    ['lock-young', 600],
  ] as const) {
    mkdirSync(join(apt, name), { recursive: true });
    utimesSync(join(apt, name), nowS - ageS, nowS - ageS);
  }
  const [manifest, mirrors] = [join(top, 'image.yaml'), join(top, 'mirrors.yaml')];
  writeFileSync(manifest, manifestText());
  // The folder is empty: apt fails at once, without a network.
  writeFileSync(
    mirrors,
    ['', '-updates', '-security']
      .map((part) => `  debian:bookworm${part}: nothing\n`)
      .join('')
      .replace(/^/, 'mirrors:\n'),
  );
  const ran = await runVerb(verb, ['-f', manifest, '--mirrors', mirrors, '--cache', join(top, 'cache')], {
    nowUs: nowS * 1e6,
  });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toMatch(/code: {2}image\/(?:packages-not-resolved|no-apt)/);
  expect(readdirSync(apt)).toEqual(['lock-young']);
});
