import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../../base/command.ts';
import { extractedPath, unpackArchive } from './unpack-archive.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-archive-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** A fake tar that writes these files. */
const unpacking =
  (files: Record<string, string>): RunCommand =>
  async (argv) => {
    const into = argv.at(-1)!;
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(dirname(join(into, path)), { recursive: true });
      if (content.startsWith('-> ')) symlinkSync(content.slice(3), join(into, path));
      else writeFileSync(join(into, path), content, { mode: 0o755 });
    }
    return { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '' };
  };

let count = 0;
const unpack = (files: Record<string, string>, install: Parameters<typeof extractedPath>[1]) =>
  unpackArchive('a.tgz', { component: 'cni', install }, join(folder, `${count++}`), { run: unpacking(files) });

describe('unpackArchive', () => {
  it('keeps files and links as they are in the archive', async () => {
    const files = await unpack({ 'bin/ctr': 'x', 'bin/link': '-> /etc/shadow' }, { to: '/usr/local' });
    expect(files).toEqual([
      { path: 'usr/local/bin/ctr', mode: 0o755, from: expect.stringMatching(/bin\/ctr$/) },
      { path: 'usr/local/bin/link', to: '/etc/shadow' },
    ]);
  });

  it.each([
    ['bin/ctr', { to: '/' }, 'bin/ctr'],
    ['bin/ctr', { to: '/', strip: 1 }, 'ctr'],
    ['ctr', { to: '/', strip: 1 }, undefined],
    ['bin/ctr', { to: '/', only: ['bin/'] }, 'bin/ctr'],
    ['binary', { to: '/', only: ['bin/'] }, undefined],
    ['bin/ctr', { to: '/', only: ['./bin/ctr'], strip: 1 }, 'ctr'],
    ['bin/ctr2', { to: '/', only: ['bin/ctr'] }, undefined],
  ])('puts %s with %j at %s', (path, install, place) => {
    expect(extractedPath(path, install)).toBe(place);
  });

  it('refuses an archive without a selected file', async () => {
    await expect(unpack({ 'bin/ctr': 'x' }, { to: '/', only: ['sbin/'] })).rejects.toMatchObject({
      code: 'image/bad-archive',
      message: expect.stringContaining('cni contains none'),
    });
  });
});
