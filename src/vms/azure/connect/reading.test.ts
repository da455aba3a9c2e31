import { describe, expect, it } from 'vitest';
import { Forbidden, NotFound } from '../../../base/failures.ts';
import { collectPages, firstPage, undefinedIfMissing } from './reading.ts';

function paged(...pages: number[][]): AsyncIterable<number> & { byPage(): AsyncIterable<number[]>; asked: number } {
  const list = {
    asked: 0,
    async *byPage() {
      for (const page of pages) {
        list.asked++;
        yield page;
      }
    },
    async *[Symbol.asyncIterator]() {
      for await (const page of list.byPage()) yield* page;
    },
  };
  return list;
}

describe('a paged list', () => {
  it('is read whole, or only its first page with items', async () => {
    expect(await collectPages(paged([1, 2], [3]))).toEqual([1, 2, 3]);
    const list = paged([], [1, 2], [3]);
    expect(await firstPage(list)).toEqual([1, 2]);
    expect(list.asked).toBe(2);
    expect(await firstPage(paged())).toEqual([]);
  });
});

describe('undefinedIfMissing', () => {
  it('returns undefined for what does not exist, and throws other failures', async () => {
    expect(await undefinedIfMissing(async () => 1)).toBe(1);
    expect(await undefinedIfMissing(() => Promise.reject(new NotFound('x')))).toBeUndefined();
    await expect(undefinedIfMissing(() => Promise.reject(new Forbidden('x')))).rejects.toBeInstanceOf(Forbidden);
  });
});
