import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { sha256Of } from '../testing.ts';
import { sumInWorker } from './sum-in-worker.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-sum-'));
afterAll(() => rmSync(folder, { recursive: true }));
const file = join(folder, 'disk');
const content = Buffer.concat([Buffer.alloc(100_000), Buffer.alloc(50_000, 7), Buffer.alloc(30_000)]);
writeFileSync(file, content);

describe('sumInWorker', () => {
  it('computes the plain checksum, holes included', async () => {
    const sum = { bytes: content.length, sha256: sha256Of(content) };
    expect(await sumInWorker({ file, ranges: [{ start: 100_000, end: 150_000 }] })).toEqual(sum);
    expect(await sumInWorker({ file, ranges: [{ start: 0, end: content.length }] })).toEqual(sum);
  });

  it('rejects for a missing file', async () => {
    const summing = sumInWorker({ file: join(folder, 'nothing'), ranges: [] });
    await expect(summing).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('stops when aborted, with the reason', async () => {
    const stop = new AbortController();
    const summing = sumInWorker({ file, ranges: [{ start: 0, end: content.length }], signal: stop.signal });
    stop.abort(new Error('enough'));
    await expect(summing).rejects.toThrow('enough');
    expect(() => sumInWorker({ file, ranges: [], signal: stop.signal })).toThrow('enough');
  });
});
