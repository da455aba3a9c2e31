import { expect, it } from 'vitest';
import { reportingFullDisk, requireImageSpace } from './free-space.ts';

const need = { what: 'the image node 1.35.8', bytes: 100 << 20, option: '--out' } as const;

it('requireImageSpace keeps a reserve, and names the folder and the option in its error', () => {
  expect(() => requireImageSpace('/images', 356 << 20, need)).not.toThrow();
  expect(() => requireImageSpace('/images', (356 << 20) - 1, need)).toThrow(
    expect.objectContaining({
      code: 'image/no-space',
      message: 'the image node 1.35.8 needs 356 MiB under /images; 356 MiB are free',
      next: expect.stringContaining('--out'),
    }),
  );
});

it('reportingFullDisk translates a full disk, and passes other errors on', async () => {
  const failing = (code: string) =>
    reportingFullDisk('/cache', '--cache', () => Promise.reject(Object.assign(new Error(code), { code })));
  await expect(failing('ENOSPC')).rejects.toMatchObject({
    code: 'image/no-space',
    next: expect.stringContaining('--cache'),
  });
  await expect(failing('EIO')).rejects.toMatchObject({ code: 'EIO' });
  expect(await reportingFullDisk('/cache', '--cache', async () => 7)).toBe(7);
});
