import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { appendArchive, type CpioFile, cpioArchive } from './cpio.ts';

const file = fc.record({
  path: fc.stringMatching(/^[a-z][a-z/-]{0,40}$/),
  mode: fc.constantFrom(0o600, 0o644, 0o755),
  bytes: fc.uint8Array({ maxLength: 64 }),
});

describe('an archive after an initrd', () => {
  it('is read back as it was written, from the next multiple of four', () => {
    fc.assert(
      fc.property(fc.array(file), fc.uint8Array({ maxLength: 16 }), (files, initrd) => {
        const whole = appendArchive(initrd, cpioArchive(files));
        expect(whole.subarray(0, initrd.length)).toEqual(Buffer.from(initrd));
        const start = Math.ceil(initrd.length / 4) * 4;
        expect(whole.subarray(initrd.length, start).every((byte) => byte === 0)).toBe(true);
        expect(unpack(whole.subarray(start))).toEqual(files.map((one) => ({ ...one, bytes: Buffer.from(one.bytes) })));
      }),
    );
  });

  it('has the length of a name in bytes, not characters', () => {
    const [one] = unpack(cpioArchive([{ path: 'größe', mode: 0o644, bytes: Buffer.from('x') }]));
    expect(one).toEqual({ path: 'größe', mode: 0o644, bytes: Buffer.from('x') });
  });
});

/** Parses the format in the kernel's Documentation/driver-api/early-userspace/buffer-format.rst. */
function unpack(archive: Buffer): CpioFile[] {
  const files: CpioFile[] = [];
  for (let at = 0; ; ) {
    expect(archive.toString('latin1', at, at + 6)).toBe('070701');
    const field = (index: number) =>
      Number.parseInt(archive.toString('latin1', at + 6 + 8 * index, at + 14 + 8 * index), 16);
    const [mode, fileBytes, nameBytes] = [field(1), field(6), field(11)];
    const path = archive.toString('utf8', at + 110, at + 110 + nameBytes - 1);
    const start = at + Math.ceil((110 + nameBytes) / 4) * 4;
    if (path === 'TRAILER!!!') {
      expect(start).toBe(archive.length);
      return files;
    }
    expect(mode & 0o170000).toBe(0o100000);
    files.push({ path, mode: mode & 0o7777, bytes: archive.subarray(start, start + fileBytes) });
    at = start + Math.ceil(fileBytes / 4) * 4;
  }
}
