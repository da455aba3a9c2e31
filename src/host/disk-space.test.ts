import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { requireSpace, statfsFree } from './disk-space.ts';

const MIB = 1 << 20;
const asked = { code: 'area/no-space', option: '--folder' };
const need = (freeBytes: number) => ({ what: 'a copy', folder: '/x', neededBytes: 10 * MIB, freeBytes });

it('256 MiB stay free for everything else', () => {
  expect(() => requireSpace(need(266 * MIB), asked)).not.toThrow();
  expect(() => requireSpace(need(266 * MIB - 1), asked)).toThrow();
});

it('the refusal has the numbers, and the code and the option of the caller', () => {
  expect(() => requireSpace(need(3.5 * MIB), asked)).toThrow(
    expect.objectContaining({
      message: 'a copy needs 266 MiB under /x; 4 MiB are free',
      code: 'area/no-space',
      kept: 'Nothing was written.',
      next: 'free some space, or name a folder on another disk with --folder',
      exitCode: 1,
    }),
  );
});

it('a folder of this machine has a number of free bytes, and one that is not there fails', async () => {
  expect(await statfsFree(tmpdir())).toBeGreaterThanOrEqual(0);
  await expect(statfsFree('/no/such/folder')).rejects.toMatchObject({ code: 'ENOENT' });
});
