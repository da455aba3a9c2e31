import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import { sha256Of } from '../testing.ts';
import { PAGE_BYTES } from './pages.ts';
import { type FakeBlob, fakeBlob } from './testing.ts';
import { uploadDisk } from './upload-disk.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-upload-'));
afterAll(() => rmSync(folder, { recursive: true }));

const PIECE = 4 << 20;

/** Three pieces and a footer: data at both ends and in the middle, mostly empty. */
function aDisk(marks: readonly number[] = [0, PIECE + 8192, 3 * PIECE], name = 'disk.vhd') {
  const bytes = Buffer.alloc(3 * PIECE + PAGE_BYTES);
  for (const mark of marks) bytes.write(`mark ${mark}`, mark);
  const file = join(folder, name);
  writeFileSync(file, bytes);
  return { file, bytes: bytes.length, sha256: sha256Of(bytes), content: bytes };
}

const sent = (blob: FakeBlob) => blob.calls.filter((call) => call.startsWith('write'));

describe('uploadDisk', () => {
  it('sends only the parts that are not empty', async () => {
    const [disk, blob] = [aDisk(), fakeBlob()];
    const { sentBytes, foundBytes } = await uploadDisk(blob, disk);
    expect(blob.bytes?.equals(disk.content)).toBe(true);
    expect(sent(blob).sort()).toEqual(['write 0', `write ${3 * PIECE}`, `write ${PIECE + 8192}`].sort());
    expect([sentBytes, foundBytes]).toEqual([4096 + 4096 + 512, 0]);
    expect(blob.metadata).toEqual({ headstart_sha256: disk.sha256, headstart_state: 'complete' });
  });

  it('continues after a failure at any call, without sending anything twice', async () => {
    const disk = aDisk();
    const whole = fakeBlob();
    await uploadDisk(whole, disk);
    const cutOff = new TransientError('the network', { code: 'test' });
    for (let call = 1; call <= whole.calls.length; call++) {
      const blob = fakeBlob();
      blob.failFrom = { call, error: cutOff };
      await expect(uploadDisk(blob, disk)).rejects.toBe(cutOff);
      delete blob.failFrom;
      const arrived = blob.written.size * PAGE_BYTES;
      const { sentBytes, foundBytes } = await uploadDisk(blob, disk);
      expect(blob.bytes?.equals(disk.content)).toBe(true);
      expect([foundBytes, sentBytes + foundBytes]).toEqual([arrived, 8704]);
    }
  });

  it('reads back bytes of earlier calls, and corrects changed ones', async () => {
    const [disk, blob] = [aDisk(), fakeBlob()];
    await uploadDisk(blob, disk);
    blob.bytes!.write('evil', PIECE + 8192);
    const { sentBytes } = await uploadDisk(blob, disk);
    expect(sentBytes).toBe(4096);
    expect(blob.bytes?.equals(disk.content)).toBe(true);
  });

  it('clears pages that do not belong to the disk', async () => {
    const [disk, blob] = [aDisk(), fakeBlob()];
    await uploadDisk(blob, disk);
    await blob.write(2 * PIECE, Buffer.alloc(PAGE_BYTES, 1));
    await uploadDisk(blob, disk);
    expect(blob.bytes?.equals(disk.content)).toBe(true);
  });

  it('refuses to write into a blob with another disk', async () => {
    const blob = fakeBlob();
    await uploadDisk(blob, aDisk());
    const before = Buffer.from(blob.bytes!);
    const other = aDisk([512], 'other.vhd');
    await expect(uploadDisk(blob, other)).rejects.toMatchObject({ code: 'image/other-blob' });
    expect(blob.bytes?.equals(before)).toBe(true);
  });

  it('checks the blob before it reports success', async () => {
    const [disk, blob] = [aDisk(), fakeBlob()];
    const { write } = blob;
    blob.write = async (offset, pages) => {
      if (offset !== 0) await write(offset, pages);
    };
    await expect(uploadDisk(blob, disk)).rejects.toMatchObject({ code: 'image/upload-incomplete' });
    expect(blob.metadata.headstart_state).toBe('uploading');
  });

  it('stops when aborted, and sends the rest on the next call', async () => {
    const [disk, blob] = [aDisk(), fakeBlob()];
    const abort = new AbortController();
    const { write } = blob;
    blob.write = async (...args) => {
      await write(...args);
      abort.abort(new Error('enough'));
    };
    await expect(uploadDisk(blob, disk, { signal: abort.signal })).rejects.toThrow('enough');
    blob.write = write;
    await uploadDisk(blob, disk);
    expect(blob.bytes?.equals(disk.content)).toBe(true);
  });

  it('succeeds for two concurrent calls', async () => {
    const [disk, blob] = [aDisk(), fakeBlob()];
    await Promise.all([uploadDisk(blob, disk), uploadDisk(blob, disk)]);
    expect(blob.bytes?.equals(disk.content)).toBe(true);
    expect(blob.metadata.headstart_state).toBe('complete');
  });

  it('refuses a disk that became shorter, and a size that is not a multiple of the page size', async () => {
    const disk = aDisk();
    writeFileSync(disk.file, 'short');
    await expect(uploadDisk(fakeBlob(), disk)).rejects.toMatchObject({ code: 'image/bad-disk' });
    await expect(uploadDisk(fakeBlob(), { ...disk, bytes: 513 })).rejects.toMatchObject({ code: 'image/bad-disk' });
  });
});
