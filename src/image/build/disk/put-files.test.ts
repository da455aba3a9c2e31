import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../../base/command.ts';
import { type DiskFile, putFiles } from './put-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-put-'));
afterAll(() => rmSync(folder, { recursive: true }));

const text = { mode: 0o644, bytes: 'x' };

describe('files for a file system', () => {
  it.each<[string, DiskFile]>([
    ['leads out', { path: '../etc/passwd', ...text }],
    ['begins at a root', { path: '/etc/passwd', ...text }],
    ['is empty', { path: '', ...text }],
    ['has an empty part', { path: 'etc//passwd', ...text }],
    ['ends a quoted word', { path: 'etc/a" b', ...text }],
    ['begins another command', { path: 'etc/a\nrm /etc/passwd', ...text }],
    ['is too long for a file system', { path: `etc/${'a'.repeat(256)}`, ...text }],
    ['leads somewhere that begins another command', { path: 'etc/a', to: 'b"\nrm /etc/passwd' }],
    [
      'has an attribute that begins another command',
      { path: 'a', ...text, xattrs: [{ name: 'user.a\nrm b', value: Buffer.of() }] },
    ],
  ])('are refused before anything is run when a name %s', async (_, file) => {
    const run: RunCommand = () => Promise.reject(new Error('nothing is run'));
    const put = putFiles({ file: 'disk', startBytes: 0 }, [{ path: 'etc/good', ...text }, file], {
      run,
      folder,
      epochSec: 0,
    });
    await expect(put).rejects.toMatchObject({ code: 'image/bad-name' });
  });

  it('are refused in a folder whose name cannot be said to the tool', async () => {
    const run: RunCommand = () => Promise.reject(new Error('nothing is run'));
    const put = putFiles({ file: 'disk', startBytes: 0 }, [], { run, folder: '/images/"x"', epochSec: 0 });
    await expect(put).rejects.toMatchObject({ code: 'image/bad-folder' });
  });
});
