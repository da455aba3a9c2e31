import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import { Forbidden, Throttled } from '../../base/failures.ts';
import { openBuild, publishBuild } from './publish.ts';
import { writeBuild } from './testing.ts';
import { aDestination } from './to-azure.testing.ts';
import { blobName } from './to-azure.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-azure-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const UNTESTED = { isUntestedAllowed: true };

describe('publishing to Azure', () => {
  it('retries network errors, and gives up with an error if they persist', async () => {
    writeBuild(folder);
    const { blob, destination } = aDestination();
    const { write } = blob;
    let failures = 2;
    blob.write = async (...pages) => {
      if (failures-- > 0) throw new TransientError('no answer', { code: 'test' });
      await write(...pages);
    };
    expect(await publishBuild(destination, await openBuild(folder), UNTESTED)).toMatchObject({ isNew: true });

    const other = aDestination();
    other.blob.failFrom = { call: 1, error: new Throttled('busy', 60_000) };
    const publishing = publishBuild(other.destination, await openBuild(folder), UNTESTED);
    await expect(publishing).rejects.toMatchObject({ code: 'image/upload-cut-off', exitCode: 4 });
    expect(other.begun).toEqual([]);
    expect(other.clock.sleptMs).toBe(4 * 60_000);
  });

  it('doubles the wait before each retry, and reports it', async () => {
    writeBuild(folder);
    const { blob, clock, destination } = aDestination();
    blob.failFrom = { call: 1, error: new TransientError('no answer', { code: 'test' }) };
    const waiting: string[] = [];
    const onWaiting = (what: string) => waiting.push(what);
    const publishing = publishBuild(destination, await openBuild(folder), { ...UNTESTED, onWaiting });
    await expect(publishing).rejects.toMatchObject({ code: 'image/upload-cut-off' });
    expect(waiting.filter((what) => what.startsWith('no answer'))).toEqual(
      [5, 10, 20, 40].map((seconds) => `no answer: trying again in ${seconds} s`),
    );
    expect(clock.sleptMs).toBe((5 + 10 + 20 + 40) * 1000);
  });

  it('does not retry a permanent error', async () => {
    writeBuild(folder);
    const { blob, clock, destination } = aDestination();
    blob.failFrom = { call: 1, error: new Forbidden('no') };
    await expect(publishBuild(destination, await openBuild(folder), UNTESTED)).rejects.toThrow('no');
    expect([blob.calls.length, clock.sleptMs]).toEqual([1, 0]);
  });

  it('uses a different blob for each content of a name', () => {
    const record = writeBuild(folder);
    expect(blobName(record)).toBe(`node-1.35.8-2026.1116.0-${record.contentSha256.slice(0, 12)}.vhd`);
    expect(blobName({ ...record, contentSha256: 'f'.repeat(64) })).not.toBe(blobName(record));
  });
});
