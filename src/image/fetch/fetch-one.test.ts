import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { type FakeMirror, fakeMirror, requestOf } from '../testing.ts';
import type { FetchRequest } from './cache.ts';
import { fetchInto } from './fetch-one.ts';
import { createMirrors, type FetchLocation } from './mirrors.ts';

const CONTENT = 'kubelet '.repeat(1000);
const REQUEST = requestOf('kubelet', CONTENT);
let top: string;
let file: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'fetch-one-'));
  file = join(top, 'partial');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const placeOf = (request: FetchRequest): FetchLocation =>
  createMirrors({
    mirrors: new Map([
      ['upstream:test', 'https://mirror.test/'],
      ['local:folder', top],
    ]),
    file: 'm',
    aptLines: [],
  }).locate(request);

/** Returns the pauses between tries and the reported progress. */
async function get(mirror: FakeMirror, request: FetchRequest = REQUEST, nowMs = 0) {
  const clock = fakeClock(nowMs);
  const pausesMs: number[] = [];
  const seen: number[] = [];
  const sleep: typeof clock.sleep = async (ms) => {
    pausesMs.push(ms);
  };
  await fetchInto(file, request, placeOf(request), {
    ...{ fetch: mirror.fetch, clock: { ...clock, sleep, nowMs: () => nowMs } },
    ...{ signal: new AbortController().signal, onBytes: (bytes: number) => seen.push(bytes) },
  });
  return { pausesMs, seen };
}

const answer =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    new Response('', { status, headers });

describe('fetchInto from a mirror', () => {
  it('resumes a partial file, and sends no request for a complete one', async () => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    writeFileSync(file, CONTENT.slice(0, 3000));
    expect((await get(mirror)).seen[0]).toBe(3000);
    expect(mirror.requests).toEqual(['GET /kubelet from 3000']);
    await get(mirror);
    expect(mirror.requests).toHaveLength(1);
  });

  it('starts again if the partial file has other content', async () => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    writeFileSync(file, 'x'.repeat(3000));
    await get(mirror);
    expect(mirror.requests).toEqual(['GET /kubelet from 3000', 'GET /kubelet']);
    expect(readFileSync(file, 'utf8')).toBe(CONTENT);
  });

  it('starts again if the partial file is too long', async () => {
    writeFileSync(file, `${CONTENT}and more`);
    const mirror = fakeMirror({ kubelet: CONTENT });
    await get(mirror);
    expect(mirror.requests).toEqual(['GET /kubelet']);
  });

  it.each([
    ['sends another range', 206, { 'content-range': 'bytes 5-9/10' }],
    ['cannot satisfy the range', 416, {}],
  ])('starts again if the mirror %s', async (_, status, headers) => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    mirror.next.push(answer(status, headers));
    writeFileSync(file, CONTENT.slice(0, 3000));
    await get(mirror);
    expect(mirror.requests).toEqual(['GET /kubelet from 3000', 'GET /kubelet']);
  });

  it.each([
    ['after a pause that doubles', {}, [1000, 2000]],
    ['after the number of seconds that the mirror requests', { 'retry-after': '7' }, [7000, 7000]],
    ['at the time that the mirror requests', { 'retry-after': 'Thu, 01 Jan 1970 00:00:30 GMT' }, [20_000, 20_000]],
    ['immediately if that time has passed', { 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, [0, 0]],
    ['after a minute at most', { 'retry-after': '86400' }, [60_000, 60_000]],
    ['after the default pause if the header is invalid', { 'retry-after': 'soon' }, [1000, 2000]],
  ])('retries %s', async (_, headers, expected) => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    mirror.next.push(answer(503, headers), answer(429, headers));
    expect((await get(mirror, REQUEST, 10_000)).pausesMs).toEqual(expected);
  });

  it('gives up after five tries without progress, and keeps the partial file', async () => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    mirror.next.push(...Array.from({ length: 5 }, () => answer(500)));
    writeFileSync(file, CONTENT.slice(0, 10));
    await expect(get(mirror)).rejects.toMatchObject({
      code: 'image/mirror-unreachable',
      message: expect.stringContaining('it responded with 500, 5 times in a row'),
    });
    expect(readFileSync(file, 'utf8')).toBe(CONTENT.slice(0, 10));
  });

  it('keeps retrying while each try makes progress', async () => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    mirror.cutAfter.push(...Array.from({ length: 7 }, () => 1000));
    await get(mirror);
    expect(mirror.requests).toHaveLength(8);
  });

  it('does not retry if the mirror refuses', async () => {
    const mirror = fakeMirror({});
    await expect(get(mirror)).rejects.toMatchObject({ code: 'image/not-on-mirror' });
    expect(mirror.requests).toHaveLength(1);
  });

  it('stops as soon as the response is too long, and keeps nothing', async () => {
    const mirror = fakeMirror({ kubelet: CONTENT.repeat(20) });
    await expect(get(mirror)).rejects.toMatchObject({
      code: 'image/wrong-digest',
      message: expect.stringContaining('got more than 8000 bytes'),
    });
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});

describe('fetchInto from a folder', () => {
  const local = (path: string) => requestOf(path, CONTENT, 'local:folder');

  it('reads the file from the beginning, even through a link', async () => {
    writeFileSync(join(top, 'real'), CONTENT);
    symlinkSync('real', join(top, 'link'));
    writeFileSync(file, 'something else');
    await get(fakeMirror({}), local('link'));
    expect(readFileSync(file, 'utf8')).toBe(CONTENT);
  });

  it('refuses a missing file and a folder', async () => {
    mkdirSync(join(top, 'folder'));
    await expect(get(fakeMirror({}), local('none'))).rejects.toThrow('does not exist');
    await expect(get(fakeMirror({}), local('folder'))).rejects.toThrow('is not a plain file');
  });

  it('reports a file that is too short without retrying', async () => {
    writeFileSync(join(top, 'short'), 'kube');
    await expect(get(fakeMirror({}), local('short'))).rejects.toMatchObject({ code: 'image/wrong-digest' });
  });
});
