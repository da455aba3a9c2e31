import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { qcow2Header } from './own-disk.testing.ts';
import { qcow2Problem, requireOwnDisk, vhdProblem } from './own-disk.ts';
import { vhdFooter } from './vhd.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-own-disk-'));
afterAll(() => rmSync(folder, { recursive: true }));

const BYTES = 2 ** 20;
const with32 = (at: number, value: number) => {
  const header = qcow2Header(BYTES);
  header.writeUInt32BE(value, at);
  return header;
};

describe('qcow2Problem', () => {
  it('accepts a standalone disk', () => {
    expect(qcow2Problem(qcow2Header(BYTES), BYTES)).toBeUndefined();
  });

  it.each([
    ['has a backing file', with32(12, 600), /has a backing file/],
    ['has the length of a backing file name', with32(16, 11), /has a backing file/],
    ['has an external data file', with32(76, 4), /external data file/],
    ['was not closed', with32(76, 1), /damaged/],
    ['is encrypted', with32(32, 1), /encrypted/],
    ['has snapshots', with32(60, 1), /snapshots/],
    ['has another size', qcow2Header(BYTES + 512), /another size/],
    ['has an older version', with32(4, 2), /another version/],
    ['is something else', Buffer.alloc(104), /not a qcow2/],
    ['is truncated', qcow2Header(BYTES).subarray(0, 60), /not a qcow2/],
  ])('refuses a disk that %s', (_, header, problem) => {
    expect(qcow2Problem(header, BYTES)).toMatch(problem);
  });
});

describe('vhdProblem', () => {
  const id = '11223344-5566-8788-89aa-bbccddeeff00';

  it('accepts a fixed VHD of the recorded size', () => {
    expect(vhdProblem(vhdFooter(BYTES, id), BYTES + 512, BYTES)).toBeUndefined();
    expect(vhdProblem(vhdFooter(BYTES, id), BYTES + 1024, BYTES)).toMatch(/another size/);
    expect(vhdProblem(vhdFooter(2 * BYTES, id), BYTES + 512, BYTES)).toMatch(/another size/);
  });

  it('refuses a differencing disk, and a file that is not a VHD', () => {
    const differencing = vhdFooter(BYTES, id);
    differencing.writeUInt32BE(4, 60);
    expect(vhdProblem(differencing, BYTES + 512, BYTES)).toMatch(/not a fixed VHD/);
    expect(vhdProblem(Buffer.alloc(512), BYTES + 512, BYTES)).toMatch(/not a VHD/);
  });
});

it('requireOwnDisk refuses random bytes and links', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 700 }), fc.constantFrom('qcow2', 'vhd'), async (bytes, format) => {
      const file = join(folder, `disk.${format}`);
      writeFileSync(file, bytes);
      await expect(requireOwnDisk(file, BYTES)).rejects.toMatchObject({ code: 'image/foreign-disk' });
    }),
    { numRuns: 30 },
  );
  writeFileSync(join(folder, 'good'), qcow2Header(BYTES));
  symlinkSync('good', join(folder, 'link.qcow2'));
  await expect(requireOwnDisk(join(folder, 'link.qcow2'), BYTES)).rejects.toMatchObject({ code: 'ELOOP' });
});
