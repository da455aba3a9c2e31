import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { manifestText } from '../../image/manifest/manifests.testing.ts';
import { runVerb } from '../testing.ts';
import { verb as lock } from './lock.ts';

let top: string;
let file: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'lock-'));
  file = join(top, 'image.yaml');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

describe('image lock', () => {
  it('looks for the place of the lock before it does anything', async () => {
    writeFileSync(file, manifestText());
    const ran = await runVerb(lock, ['-f', file, '-o', join(top, 'none', 'lock.json')]);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('image/no-folder') });
    expect(await runVerb(lock, ['-f', file, '--architecture', 'arm64'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('use one of amd64'),
    });
  });

  it('says so when nothing can be kept in the folder of the cache', async () => {
    writeFileSync(file, manifestText());
    const ran = await runVerb(lock, ['-f', file, '--cache', join(file, 'cache')]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('image/cache-unusable') });
  });

  it('says which setting of a proxy is wrong, and not what is in it', async () => {
    writeFileSync(file, manifestText());
    const ran = await runVerb(lock, ['-f', file, '--cache', top], {
      env: { http_proxy: 'http://me:secret@host:99999' },
    });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('image/bad-proxy') });
    expect(ran.stderr).not.toContain('secret');
  });
});
