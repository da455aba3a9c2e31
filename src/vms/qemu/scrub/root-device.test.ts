import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { rootDevice } from './root-device.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-root-'));
afterAll(() => rmSync(folder, { recursive: true }));
const disk = join(folder, 'disk.raw');

/** A GPT header and four entries; the second entry is this one. */
function table(id: string): Buffer {
  const image = Buffer.alloc(4096);
  image.write('EFI PART', 512, 'latin1');
  image.writeBigUInt64LE(2n, 512 + 72);
  image.writeUInt32LE(4, 512 + 80);
  image.writeUInt32LE(128, 512 + 84);
  const [a, b, c, ...rest] = id.split('-');
  const turned = [a!, b!, c!].map((hex) => Buffer.from(hex, 'hex').reverse().toString('hex')).join('');
  Buffer.from(turned + rest.join(''), 'hex').copy(image, 1024 + 128 + 16);
  return image;
}

it('rootDevice is the whole disk when no root is given', async () => {
  expect(await rootDevice('/nowhere', undefined)).toBe('/dev/vda');
});

it('rootDevice is the partition with that id', async () => {
  await fc.assert(
    fc.asyncProperty(fc.uuid(), async (id) => {
      writeFileSync(disk, table(id));
      expect(await rootDevice(disk, `PARTUUID=${id}`)).toBe('/dev/vda2');
    }),
    { numRuns: 30 },
  );
});

it('rootDevice refuses a copy without such a partition, without a table, or with an invalid one', async () => {
  const id = '11223344-5566-8788-89aa-bbccddeeff00';
  const absurd = table(id);
  absurd.writeUInt32LE(0xffffffff, 512 + 80);
  for (const image of [table(id.replace('1', '2')), Buffer.alloc(4096), Buffer.alloc(0), absurd]) {
    writeFileSync(disk, image);
    await expect(rootDevice(disk, `PARTUUID=${id}`)).rejects.toMatchObject({ code: 'vms/no-root-partition' });
  }
  await expect(rootDevice(disk, 'LABEL=x')).rejects.toMatchObject({ code: 'vms/no-root-partition' });
});
