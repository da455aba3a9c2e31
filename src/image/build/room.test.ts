import { expect, it } from 'vitest';
import { ensureRoom } from './room.ts';

const need = { what: 'the image node 1.35.8', bytes: 100 << 20, option: '--out' } as const;

it('is there with a reserve to spare, and otherwise the folder and the option to choose another are named', () => {
  expect(() => ensureRoom('/images', 356 << 20, need)).not.toThrow();
  expect(() => ensureRoom('/images', (356 << 20) - 1, need)).toThrow(
    expect.objectContaining({
      code: 'image/no-space',
      message: 'the image node 1.35.8 needs 356 MiB under /images; 356 MiB are free',
      next: expect.stringContaining('--out'),
    }),
  );
});
