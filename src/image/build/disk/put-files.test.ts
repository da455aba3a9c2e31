import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../../base/command.ts';
import { type DiskFile, putFiles } from './put-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-put-'));
afterAll(() => rmSync(folder, { recursive: true }));

const text = { mode: 0o644, bytes: 'x' };

describe('putFiles', () => {
  it.each<[string, DiskFile]>([
    ['leaves the file system', { path: '../etc/passwd', ...text }],
    ['is absolute', { path: '/etc/passwd', ...text }],
    ['is empty', { path: '', ...text }],
    ['has an empty component', { path: 'etc//passwd', ...text }],
    ['contains a quote', { path: 'etc/a" b', ...text }],
    ['contains a line break', { path: 'etc/a\nrm /etc/passwd', ...text }],
    ['is too long for a file system', { path: `etc/${'a'.repeat(256)}`, ...text }],
    ['has a link target with a line break', { path: 'etc/a', to: 'b"\nrm /etc/passwd' }],
    [
      'has an attribute name with a line break',
      { path: 'a', ...text, xattrs: [{ name: 'user.a\nrm b', value: Buffer.of() }] },
    ],
  ])('refuses a path that %s before it runs anything', async (_, file) => {
    const run: RunCommand = () => Promise.reject(new Error('nothing is run'));
    const put = putFiles({ file: 'disk', startBytes: 0 }, [{ path: 'etc/good', ...text }, file], {
      run,
      folder,
      epochSec: 0,
    });
    await expect(put).rejects.toMatchObject({ code: 'image/bad-name' });
  });

  it('refuses a folder whose name cannot be passed to debugfs', async () => {
    const run: RunCommand = () => Promise.reject(new Error('nothing is run'));
    const put = putFiles({ file: 'disk', startBytes: 0 }, [], { run, folder: '/images/"x"', epochSec: 0 });
    await expect(put).rejects.toMatchObject({ code: 'image/bad-folder' });
  });
});
