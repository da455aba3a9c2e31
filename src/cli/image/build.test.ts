import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aLock, anArtifact } from '../../image/build/locks.testing.ts';
import { writeLock } from '../../image/lock/read-lock.ts';
import { runVerb } from '../testing.ts';
import { verb } from './build.ts';

const top = mkdtempSync(join(tmpdir(), 'headstart-build-'));
afterAll(() => rmSync(top, { recursive: true }));
const file = join(top, 'image.lock.json');
const install = { to: '/usr/local/bin/kubelet' };

beforeAll(() => {
  const kubelet = (kubernetes: string, sha256: string) =>
    anArtifact('kubelet', 'binary', { kubernetes, sha256: sha256.repeat(32), bytes: 80 << 20, install });
  writeLock(
    file,
    aLock([anArtifact('libc6', 'deb', { bytes: 1 << 20 }), kubelet('1.35.8', 'ab'), kubelet('1.35.7', 'cd')]),
  );
});

const run = (...argv: string[]) =>
  runVerb(verb, ['--lock', file, '--out', join(top, 'images'), '--cache', join(top, 'cache'), ...argv]);

describe('image build', () => {
  it('prints what it would do with --dry-run, for all versions or one, and does nothing', async () => {
    const all = await run('--dry-run');
    expect(all).toMatchObject({ code: 0, stderr: '' });
    expect(all.stdout).toBe(`would fetch missing files (of 3, 161 MiB in total)
would make the base layer of 1 packages
would make the shared layer
would build node 1.35.8-2026.1116.0 as qcow2, vhd in ${top}/images/node-1.35.8-2026.1116.0
would build node 1.35.7-2026.1116.0 as qcow2, vhd in ${top}/images/node-1.35.7-2026.1116.0
each image in these stages:
  write the root file system
  write the files of this version
  make the disk
  write the kernel and the initrd
  write the lock, the release facts, the lists of images and files, and the SBOM
  compute the checksums
  write the build record
`);
    const one = await run('--dry-run', '--json', '--offline', '--kubernetes', '1.35.7', '--only', 'raw');
    expect(JSON.parse(one.stdout)).toMatchObject({
      kind: 'ImageBuildPlan',
      files: 2,
      isOffline: true,
      hasBase: false,
      formats: ['raw'],
      images: [{ kubernetes: '1.35.7', version: '1.35.7-2026.1116.0', isThere: false }],
      stages: expect.arrayContaining([
        { id: 'base-layer', title: 'make the base layer of 1 packages', kubernetes: '', isThere: false },
        { id: 'disk', title: 'make the disk', kubernetes: '1.35.7', isThere: false },
      ]),
    });
  });

  it.each([
    [['--kubernetes', '1.34.0'], 'image/unknown-version', 'it has 1.35.8, 1.35.7'],
    [['--only', 'iso'], 'image/unknown-format', "'iso'"],
    [['--only', 'qcow2,'], 'image/unknown-format', "''"],
    [['--lock', join(top, 'none.json')], 'image/no-lock', 'none.json'],
    [['--lock', join(top, 'none.json')], 'image/no-lock', '`headstart image schema` prints its fields'],
  ])('refuses %j, and changes nothing', async (argv, code, text) => {
    const ran = await run(...argv);
    expect(ran).toMatchObject({ code: 2, stdout: '' });
    expect(ran.stderr).toContain(`code:  ${code}`);
    expect(ran.stderr).toContain(text);
  });
});
