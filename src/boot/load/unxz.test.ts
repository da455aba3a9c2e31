import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { inputText, memoryInput } from './input.ts';
import { InputLimits } from './input-limits.ts';
import { isXz, unxz } from './unxz.ts';
import { hasXz } from './xz.testing.ts';

/** `echo from xz | xz -9`, so that the first test needs no xz to make it. */
const PACKED = Buffer.from(
  '/Td6WFoAAATm1rRGAgAhARwAAAAQz1jMAQAHZnJvbSB4egoA3OvV+gxO42MAASAIu+EpyB+2830BAAAAAARZWg==',
  'base64',
);

const open = (bytes: Uint8Array, more: object = {}) => {
  const problems: string[] = [];
  const input = memoryInput('sos.tar.xz', bytes);
  return { problems, unpacked: unxz(input, { limits: new InputLimits(), problems, ...more }) };
};

describe('unxz', () => {
  it('knows xz by its first bytes', () => {
    expect([isXz(PACKED), isXz(Buffer.from('xz'))]).toEqual([true, false]);
  });

  it.runIf(hasXz)('unpacks with the program of the host', async () => {
    const { unpacked, problems } = open(execFileSync('xz', ['-c'], { input: 'from xz\n' }));
    expect(inputText(await unpacked)).toBe('from xz\n');
    expect(problems).toEqual([]);
  });

  it.runIf(hasXz)('stops early if no source reads what comes out', async () => {
    const zeros = execFileSync('xz', ['-0', '-c'], { input: Buffer.alloc(64 << 20) });
    const { unpacked } = open(zeros, { isReadable: () => false });
    expect((await unpacked).bytes().length).toBeLessThan(8 << 20);
  });

  it.runIf(hasXz)('reads a truncated file up to the cut, and explains a damaged one', async () => {
    const packed = execFileSync('xz', ['-0', '-c'], { input: 'a line\n'.repeat(500_000), maxBuffer: 1 << 26 });
    const { unpacked, problems } = open(packed.subarray(0, packed.length - 40));
    expect((await unpacked).bytes().length).toBeGreaterThan(1_000_000);
    expect(problems).toEqual([expect.stringMatching(/^sos\.tar\.xz is truncated or damaged \(.+\): only the part/)]);
    await expect(open(packed.subarray(0, 20)).unpacked).rejects.toMatchObject({ code: 'boot/input-damaged' });
  });

  it('says how to go on without xz', async () => {
    await expect(open(PACKED, { program: 'no-such-xz' }).unpacked).rejects.toMatchObject({
      code: 'boot/no-xz',
      message: expect.stringContaining('compressed with xz, and there is no program `no-such-xz`'),
      next: expect.stringContaining('xz -dc sos.tar.xz'),
    });
  });
});
