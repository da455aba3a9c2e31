import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { copySparse, sumSparse, sumWhole } from './sparse-copy.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-sparse-'));
afterAll(() => rmSync(folder, { recursive: true }));

let count = 0;
const PART = 64 << 10;
const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A few runs of bytes between zeros, with the ranges that contain them. */
const islands = fc
  .record({
    sizeBytes: fc.integer({ min: 0, max: 12 * PART }),
    at: fc.array(fc.record({ start: fc.nat(12 * PART), bytes: fc.uint8Array({ minLength: 1, maxLength: 3000 }) }), {
      maxLength: 5,
    }),
  })
  .map(({ sizeBytes, at }) => {
    const content = Buffer.alloc(sizeBytes);
    const ranges = at
      .filter(({ start }) => start < sizeBytes)
      .map(({ start, bytes }) => {
        content.set(bytes.subarray(0, sizeBytes - start), start);
        return { start, end: Math.min(sizeBytes, start + bytes.length) };
      })
      .sort((a, b) => a.start - b.start);
    return { content, ranges };
  });

function fileOf(content: Buffer): string {
  const file = join(folder, `${count++}`);
  writeFileSync(file, content);
  return file;
}

describe('a sparse file', () => {
  it('is copied byte for byte, and its sum does not depend on the given ranges', async () => {
    await fc.assert(
      fc.asyncProperty(islands, async ({ content, ranges }) => {
        const file = fileOf(content);
        const whole = { file, ranges: [{ start: 0, end: content.length }] };
        const sum = await copySparse({ file, ranges }, `${file}-copy`);
        expect(readFileSync(`${file}-copy`).equals(content)).toBe(true);
        expect([await sumSparse({ file, ranges }), await sumSparse(whole)]).toEqual([sum, sum]);
      }),
      { numRuns: 40 },
    );
  });

  it('has the plain checksum of all bytes', async () => {
    await fc.assert(
      fc.asyncProperty(islands, async ({ content, ranges }) => {
        const file = fileOf(content);
        expect(await sumWhole({ file, ranges })).toEqual({ bytes: content.length, sha256: sha256(content) });
      }),
      { numRuns: 40 },
    );
  });

  it('has another sum if a byte, its offset or the size differs', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(3 * PART - 1), async (at) => {
        const content = Buffer.alloc(3 * PART, 1);
        const ranges = [{ start: 0, end: content.length }];
        const sum = await sumSparse({ file: fileOf(content), ranges });
        content[at] = content[at]! ^ 4;
        expect(await sumSparse({ file: fileOf(content), ranges })).not.toBe(sum);
      }),
      { numRuns: 20 },
    );
    const [one, two, three] = [Buffer.alloc(3 * PART), Buffer.alloc(3 * PART), Buffer.alloc(3 * PART)].map(
      (bytes, i) => {
        bytes[i === 1 ? PART : 0] = 1;
        return fileOf(bytes);
      },
    ) as [string, string, string];
    truncateSync(three, 3 * PART - 1);
    const sums = await Promise.all(
      [one, two, three].map((file, i) =>
        sumSparse({ file, ranges: [{ start: 0, end: 3 * PART - (i === 2 ? 1 : 0) }] }),
      ),
    );
    expect(new Set(sums).size).toBe(3);
  });

  it('is not copied over an existing file or a link, or after an abort', async () => {
    const file = fileOf(Buffer.alloc(PART, 1));
    const ranges = [{ start: 0, end: PART }];
    await expect(copySparse({ file, ranges }, file)).rejects.toMatchObject({ code: 'EEXIST' });
    const signal = AbortSignal.abort(new Error('enough'));
    await expect(copySparse({ file, ranges, signal }, `${file}-copy`)).rejects.toThrow('enough');
  });
});
