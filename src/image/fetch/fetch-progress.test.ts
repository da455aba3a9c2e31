import { describe, expect, it } from 'vitest';
import { requestOf } from '../testing.ts';
import type { FetchRequest } from './cache.ts';
import { fetchProgress } from './fetch-progress.ts';

const sized = (path: string, bytes: number): FetchRequest => ({ ...requestOf(path, path), bytes });

function watch(all: readonly FetchRequest[]) {
  const reports: [string, number | undefined][] = [];
  return { reports, progress: fetchProgress(all, (what, percent) => reports.push([what, percent])) };
}

describe('fetchProgress', () => {
  it('reports in steps of ten percent of all bytes', () => {
    const [a, b] = [sized('a', 30_000_000), sized('b', 70_000_000)];
    const { reports, progress } = watch([a, b]);
    for (let bytes = 1_000_000; bytes <= 30_000_000; bytes += 1_000_000) progress.at(a, bytes);
    progress.done(a);
    progress.at(b, 70_000_000);
    expect(reports.map(([, percent]) => percent)).toEqual([0, 10, 20, 30, 100]);
    expect(reports.at(-1)![0]).toBe('the files to be fetched: 1 of 2, 100 of 100 MB');
  });

  it('counts a restarted file once', () => {
    const a = sized('a', 100);
    const { reports, progress } = watch([a]);
    for (const bytes of [50, 0, 50, 100]) progress.at(a, bytes);
    expect(reports.map(([, percent]) => percent)).toEqual([50, 0, 50, 100]);
  });

  it('counts files if a size is unknown', () => {
    const [a, b] = [sized('a', 10), { ...requestOf('b', 'b'), bytes: undefined }];
    const { reports, progress } = watch([a, b]);
    progress.at(a, 10);
    progress.done(a);
    progress.done(b);
    expect(reports).toEqual([
      ['the files to be fetched: 0 of 2', 0],
      ['the files to be fetched: 1 of 2', 50],
      ['the files to be fetched: 2 of 2', 100],
    ]);
  });

  it('never exceeds a hundred percent, and counts empty files', () => {
    const a = sized('a', 10);
    const { reports, progress } = watch([a]);
    progress.at(a, 25);
    expect(reports).toEqual([[expect.any(String), 100]]);
    const empty = watch([sized('e', 0)]);
    empty.progress.done(sized('e', 0));
    expect(empty.reports).toEqual([['the files to be fetched: 1 of 1, 0 of 0 MB', 100]]);
  });
});
