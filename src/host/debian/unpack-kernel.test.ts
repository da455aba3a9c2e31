import { gzipSync, zstdCompressSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunCommand } from '../../base/command.ts';
import { bzImage, elf, note } from './kernels.testing.ts';
import { findPayload, hasPvhEntry, unpackKernel } from './unpack-kernel.ts';

const noProgram: RunCommand = async () => ({ outcome: 'missing', code: null, stdout: Buffer.alloc(0), stderr: '' });

const unsupported = {
  code: 'area/kernel-unsupported',
  what: 'the kernel of x',
  kept: 'Nothing.',
  next: 'take another',
};

const pvhKernel = elf(Buffer.concat([note('GNU', 1, 5), note('Xen', 18, 8)]));
const sized = (packed: Buffer) => Buffer.concat([packed, Buffer.alloc(4)]);

describe('a kernel in a bzImage', () => {
  it('is extracted for every supported compression', async () => {
    for (const payload of [gzipSync(pvhKernel), sized(zstdCompressSync(pvhKernel))])
      expect(await unpackKernel(bzImage(payload), { run: noProgram }, unsupported)).toEqual(pvhKernel);
    const lz4 = Buffer.from([0x02, 0x21, 0x4c, 0x18, 1, 2, 3]);
    const run: RunCommand = async (_argv, options) => {
      expect(options?.input).toEqual(lz4);
      return { outcome: 'exited', code: 0, stdout: pvhKernel, stderr: '' };
    };
    expect(await unpackKernel(bzImage(sized(lz4)), { run }, unsupported)).toEqual(pvhKernel);
  });

  it.each([
    ['compressed with xz', bzImage(Buffer.from('fd377a585a000000', 'hex')), /compression is xz/],
    ['compressed with an unknown format', bzImage(Buffer.alloc(32)), /compression is unknown/],
    ['not a bzImage', Buffer.alloc(4096), /not a bzImage/],
    ['empty', Buffer.alloc(0), /not a bzImage/],
    ['truncated', bzImage(gzipSync(pvhKernel)).subarray(0, 3 * 512 + 20), /truncated/],
  ])('is refused when it is %s', (_, image, why) => {
    expect(() => findPayload(image)).toThrow(why);
  });

  it('is refused when it cannot boot without firmware', async () => {
    const plain = bzImage(gzipSync(elf(note('Xen', 17, 8))));
    await expect(unpackKernel(plain, { run: noProgram }, unsupported)).rejects.toMatchObject({
      code: 'area/kernel-unsupported',
      message: expect.stringMatching(/^the kernel of x cannot be used: it has no entry point/),
      kept: 'Nothing.',
      next: 'take another',
      exitCode: 1,
    });
  });

  it('may be any bytes: they are refused without a crash or an endless loop', () => {
    const cut = fc.tuple(fc.nat({ max: pvhKernel.length }), fc.uint8Array({ maxLength: 200 }));
    fc.assert(
      fc.property(cut, ([length, bytes]) => {
        expect(typeof hasPvhEntry(Buffer.concat([pvhKernel.subarray(0, length), bytes]))).toBe('boolean');
      }),
    );
    expect(hasPvhEntry(elf(Buffer.alloc(64, 0xff)))).toBe(false);
  });
});
