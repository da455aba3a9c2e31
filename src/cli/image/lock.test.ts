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
  it('checks the folder of the lock and the architecture before anything else', async () => {
    writeFileSync(file, manifestText());
    const ran = await runVerb(lock, ['-f', file, '-o', join(top, 'none', 'lock.json')]);
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('image/no-folder') });
    expect(await runVerb(lock, ['-f', file, '--architecture', 'arm64'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('use one of amd64'),
    });
  });

  it('reports a cache folder that cannot be written', async () => {
    writeFileSync(file, manifestText());
    const ran = await runVerb(lock, ['-f', file, '--cache', join(file, 'cache')]);
    expect(ran).toMatchObject({ code: 1, stderr: expect.stringContaining('image/cache-unusable') });
  });

  it('names the invalid proxy setting, but not its value', async () => {
    writeFileSync(file, manifestText());
    const ran = await runVerb(lock, ['-f', file, '--cache', top], {
      env: { http_proxy: 'http://me:secret@host:99999' },
    });
    expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining('image/bad-proxy') });
    expect(ran.stderr).not.toContain('secret');
  });
});
