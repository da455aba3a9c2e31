import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeLayout } from './build.ts';

it('writeLayout replaces an existing layout', () => {
  const folder = join(mkdtempSync(join(tmpdir(), 'headstart-layout-')), 'image');
  try {
    mkdirSync(join(folder, 'blobs'), { recursive: true });
    writeFileSync(join(folder, 'blobs/old'), 'old');
    const files = new Map([
      ['oci-layout', Buffer.from('{}')],
      ['blobs/sha256/new', Buffer.from('new')],
    ]);
    writeLayout({ files }, folder);
    expect(readdirSync(folder, { recursive: true }).sort()).toEqual([
      'blobs',
      'blobs/sha256',
      'blobs/sha256/new',
      'oci-layout',
    ]);
    expect(readFileSync(join(folder, 'blobs/sha256/new'), 'utf8')).toBe('new');
  } finally {
    rmSync(join(folder, '..'), { recursive: true });
  }
});
