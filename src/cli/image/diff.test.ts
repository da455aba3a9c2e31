import { writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aLock } from '../../image/lock/lock.testing.ts';
import { writeLock } from '../../image/lock/read-lock.ts';
import { writeBuild } from '../../image/publish/testing.ts';
import { runVerb } from '../testing.ts';
import { verb as diff } from './diff.ts';
import { useLocks } from './testing.ts';

const { before, newer, place } = useLocks();

describe('image diff', () => {
  it('shows newer versions as text and as JSON', async () => {
    const { code, stdout } = await runVerb(diff, [before, newer]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/deb +containerd +all +1\.6\.20~ds1-1\+deb12u1 +1\.6\.20~ds1-1\+deb12u2 +0 +newer/);
    const json = JSON.parse((await runVerb(diff, [before, newer, '--json', '--notes'])).stdout);
    expect(json).toMatchObject({
      kind: 'ImageDiff',
      changes: [{ component: 'containerd', change: 'up' }],
      notes: expect.stringContaining('## Packages'),
    });
  });

  it('accepts the folder of a build', async () => {
    writeBuild(place('build'));
    writeLock(place('build/lock.json'), aLock());
    expect((await runVerb(diff, [place('build'), before])).stdout).toContain('nothing in the images differs');
  });

  it('shows which vulnerabilities are fixed', async () => {
    writeFileSync(
      place('feed.json'),
      '[{"package":"containerd","fixed":"1.6.20~ds1-1+deb12u2","id":"CVE-1","severity":"high"}]',
    );
    const { stdout } = await runVerb(diff, [before, newer, '--vulnerabilities', place('feed.json')]);
    expect(stdout).toMatch(/CVE-1 +high +containerd .* fixed/);
  });

  it.each([
    [['nowhere.json', 'nowhere.json'], 'image/no-lock'],
    [[before, newer, '--vulnerabilities', 'nowhere.json'], 'image/bad-feed'],
    [[before, newer, '--vulnerabilities', before], 'image/bad-feed'],
  ])('refuses %j with a reason', async (argv, code) => {
    expect(await runVerb(diff, argv)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(code) });
  });
});
