import { tmpdir } from 'node:os';
import { expect, it } from 'vitest';
import { requireSpace, statfsFree } from './disk-space.ts';

const MIB = 1 << 20;
const error = { code: 'area/no-space', option: '--folder' };
const need = (freeBytes: number) => ({ what: 'a copy', folder: '/x', neededBytes: 10 * MIB, freeBytes });

it('requireSpace keeps 256 MiB free', () => {
  expect(() => requireSpace(need(266 * MIB), error)).not.toThrow();
  expect(() => requireSpace(need(266 * MIB - 1), error)).toThrow();
});

it("the error has the sizes, and the caller's code and option", () => {
  expect(() => requireSpace(need(3.5 * MIB), error)).toThrow(
    expect.objectContaining({
      message: 'a copy needs 266 MiB under /x; 4 MiB are free',
      code: 'area/no-space',
      kept: 'Nothing was written.',
      next: 'free some space, or name a folder on another disk with --folder',
      exitCode: 1,
    }),
  );
});

it('statfsFree returns the free bytes of a folder, and fails when it does not exist', async () => {
  expect(await statfsFree(tmpdir())).toBeGreaterThanOrEqual(0);
  await expect(statfsFree('/no/such/folder')).rejects.toMatchObject({ code: 'ENOENT' });
});
