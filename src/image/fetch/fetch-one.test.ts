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
const WANTED = requestOf('kubelet', CONTENT);
let top: string;
let file: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'fetch-one-'));
  file = join(top, 'partial');
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const placeOf = (wanted: FetchRequest): FetchLocation =>
  createMirrors({
    mirrors: new Map([
      ['upstream:test', 'https://mirror.test/'],
      ['local:folder', top],
    ]),
    file: 'm',
    aptLines: [],
  }).locate(wanted);

/** Gives how long was waited, and how far it was said to be. */
async function get(mirror: FakeMirror, wanted: FetchRequest = WANTED, nowMs = 0) {
  const clock = fakeClock(nowMs);
  const pausesMs: number[] = [];
  const seen: number[] = [];
  const sleep: typeof clock.sleep = async (ms) => {
    pausesMs.push(ms);
  };
  await fetchInto(file, wanted, placeOf(wanted), {
    ...{ fetch: mirror.fetch, clock: { ...clock, sleep, nowMs: () => nowMs } },
    ...{ signal: new AbortController().signal, onBytes: (bytes: number) => seen.push(bytes) },
  });
  return { pausesMs, seen };
}

const answer =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    new Response('', { status, headers });

describe('a file from a mirror', () => {
  it('goes on with what is there, and asks for nothing when that is all of it', async () => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    writeFileSync(file, CONTENT.slice(0, 3000));
    expect((await get(mirror)).seen[0]).toBe(3000);
    expect(mirror.requests).toEqual(['GET /kubelet from 3000']);
    await get(mirror);
    expect(mirror.requests).toHaveLength(1);
  });

  it('is begun again when what was there turns out to be of something else', async () => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    writeFileSync(file, 'x'.repeat(3000));
    await get(mirror);
    expect(mirror.requests).toEqual(['GET /kubelet from 3000', 'GET /kubelet']);
    expect(readFileSync(file, 'utf8')).toBe(CONTENT);
  });

  it('is begun again when more is there than there can be', async () => {
    writeFileSync(file, `${CONTENT}and more`);
    const mirror = fakeMirror({ kubelet: CONTENT });
    await get(mirror);
    expect(mirror.requests).toEqual(['GET /kubelet']);
  });

  it.each([
    ['goes on at another byte', 206, { 'content-range': 'bytes 5-9/10' }],
    ['has no such byte', 416, {}],
  ])('is begun again when the mirror %s', async (_, status, headers) => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    mirror.next.push(answer(status, headers));
    writeFileSync(file, CONTENT.slice(0, 3000));
    await get(mirror);
    expect(mirror.requests).toEqual(['GET /kubelet from 3000', 'GET /kubelet']);
  });

  it.each([
    ['after a pause that doubles', {}, [1000, 2000]],
    ['after as many seconds as the mirror asks for', { 'retry-after': '7' }, [7000, 7000]],
    ['at the time the mirror says', { 'retry-after': 'Thu, 01 Jan 1970 00:00:30 GMT' }, [20_000, 20_000]],
    ['at once when that time has passed', { 'retry-after': 'Thu, 01 Jan 1970 00:00:01 GMT' }, [0, 0]],
    ['after a minute at most', { 'retry-after': '86400' }, [60_000, 60_000]],
    ['after its own pause when the mirror says nothing of use', { 'retry-after': 'soon' }, [1000, 2000]],
  ])('is asked for again %s', async (_, headers, expected) => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    mirror.next.push(answer(503, headers), answer(429, headers));
    expect((await get(mirror, WANTED, 10_000)).pausesMs).toEqual(expected);
  });

  it('is given up after five tries in a row without a byte more, and what is there is kept', async () => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    mirror.next.push(...Array.from({ length: 5 }, () => answer(500)));
    writeFileSync(file, CONTENT.slice(0, 10));
    await expect(get(mirror)).rejects.toMatchObject({
      code: 'image/mirror-unreachable',
      message: expect.stringContaining('it answered 500, 5 times in a row'),
    });
    expect(readFileSync(file, 'utf8')).toBe(CONTENT.slice(0, 10));
  });

  it('is tried as often as it takes while each try gets further', async () => {
    const mirror = fakeMirror({ kubelet: CONTENT });
    mirror.cutAfter.push(...Array.from({ length: 7 }, () => 1000));
    await get(mirror);
    expect(mirror.requests).toHaveLength(8);
  });

  it('is not asked for again when the mirror refuses it', async () => {
    const mirror = fakeMirror({});
    await expect(get(mirror)).rejects.toMatchObject({ code: 'image/not-on-mirror' });
    expect(mirror.requests).toHaveLength(1);
  });

  it('is cut off as soon as it is longer than promised, and nothing of it stays', async () => {
    const mirror = fakeMirror({ kubelet: CONTENT.repeat(20) });
    await expect(get(mirror)).rejects.toMatchObject({
      code: 'image/wrong-digest',
      message: expect.stringContaining('got more than 8000 bytes'),
    });
    expect(readFileSync(file, 'utf8')).toBe('');
  });
});

describe('a file from a folder', () => {
  const local = (path: string) => requestOf(path, CONTENT, 'local:folder');

  it('is read from its beginning, through a link, too', async () => {
    writeFileSync(join(top, 'real'), CONTENT);
    symlinkSync('real', join(top, 'link'));
    writeFileSync(file, 'something else');
    await get(fakeMirror({}), local('link'));
    expect(readFileSync(file, 'utf8')).toBe(CONTENT);
  });

  it('has to be there, and a plain file', async () => {
    mkdirSync(join(top, 'folder'));
    await expect(get(fakeMirror({}), local('none'))).rejects.toThrow('does not exist');
    await expect(get(fakeMirror({}), local('folder'))).rejects.toThrow('is not a plain file');
  });

  it('is not waited for when it is too short: it is another file', async () => {
    writeFileSync(join(top, 'short'), 'kube');
    await expect(get(fakeMirror({}), local('short'))).rejects.toMatchObject({ code: 'image/wrong-digest' });
  });
});
