import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { type FakeMirror, fakeMirror, requestOf, sha256Of } from '../testing.ts';
import type { Cache } from './cache.ts';
import { type CacheDeps, createCache } from './disk-cache.ts';
import { createMirrors } from './mirrors.ts';

const kubelet = 'kubelet '.repeat(1000);
let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'cache-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

function open(mirror: FakeMirror, changes: Partial<CacheDeps> = {}): Cache {
  const mirrors = createMirrors({
    mirrors: new Map([
      ['upstream:test', 'https://user:pass%20word@mirror.test/'],
      ['local:folder', join(top, 'folder')],
    ]),
    file: '/etc/mirrors.yaml',
    aptLines: [],
  });
  const clock = fakeClock(Date.now());
  return createCache({
    folder: join(top, 'cache'),
    mirrors,
    fetch: mirror.fetch,
    clock,
    freeBytes: async () => 2 ** 40,
    ...changes,
  });
}

const placeOf = (sha256: string) => join(top, 'cache', 'sha256', sha256.slice(0, 2), sha256);
const partials = () => readdirSync(join(top, 'cache', 'partial'));

describe('fill', () => {
  it('stores verified files read-only and closed to other users, and fetches only missing ones', async () => {
    const mirror = fakeMirror({ 'v1/kubelet': kubelet, other: 'x' });
    const cache = open(mirror);
    const request = [requestOf('v1/kubelet', kubelet), requestOf('other', 'x'), requestOf('other', 'x')];
    await cache.fill(request);
    expect(readFileSync(await cache.open(request[0]!), 'utf8')).toBe(kubelet);
    expect(statSync(placeOf(sha256Of('x'))).mode & 0o777).toBe(0o444);
    expect(statSync(join(top, 'cache', 'sha256')).mode & 0o777).toBe(0o700);
    expect(partials()).toEqual([]);
    await cache.fill(request);
    expect(mirror.requests.sort()).toEqual(['GET /other', 'GET /v1/kubelet']);
  });

  it('reports component, expected and received hash of wrong bytes, and stores nothing', async () => {
    const mirror = fakeMirror({ kubelet: 'kubelet!' });
    const cache = open(mirror);
    const request = { ...requestOf('kubelet', 'kubelet?'), component: 'the-kubelet' };
    const error = await cache.fill([request]).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'image/wrong-digest', exitCode: 1 });
    const { message } = error as Error;
    for (const part of ['the-kubelet', request.sha256, sha256Of('kubelet!'), 'https://mirror.test/kubelet'])
      expect(message).toContain(part);
    expect(message).not.toMatch(/pass|user/);
    expect(existsSync(join(top, 'cache', 'sha256'))).toBe(false);
    expect(partials()).toEqual([]);
    expect(mirror.requests).toHaveLength(1);
  });

  it('resumes where the connection broke', async () => {
    const mirror = fakeMirror({ kubelet });
    mirror.cutAfter = [3000, 2000];
    await open(mirror).fill([requestOf('kubelet', kubelet)]);
    expect(mirror.requests).toEqual(['GET /kubelet', 'GET /kubelet from 3000', 'GET /kubelet from 5000']);
    expect(readFileSync(placeOf(sha256Of(kubelet)), 'utf8')).toBe(kubelet);
  });

  it('keeps the partial file when interrupted, and the next call resumes it', async () => {
    const mirror = fakeMirror({ kubelet });
    const stop = new AbortController();
    mirror.cutAfter = [4000];
    const clock = fakeClock(Date.now());
    clock.sleep = async () => {
      stop.abort(new Error('Ctrl-C'));
      throw stop.signal.reason;
    };
    const first = open(mirror, { clock }).fill([requestOf('kubelet', kubelet)], { signal: stop.signal });
    await expect(first).rejects.toThrow('Ctrl-C');
    expect(partials()).toHaveLength(1);
    await open(mirror).fill([requestOf('kubelet', kubelet)]);
    expect(mirror.requests).toEqual(['GET /kubelet', 'GET /kubelet from 4000']);
    expect(partials()).toEqual([]);
  });

  it('starts again if the server does not support ranges', async () => {
    const mirror = fakeMirror({ kubelet });
    mirror.hasRanges = false;
    mirror.cutAfter = [3000];
    await open(mirror).fill([requestOf('kubelet', kubelet)]);
    expect(readFileSync(placeOf(sha256Of(kubelet)), 'utf8')).toBe(kubelet);
  });

  it('gives up on a server without ranges that keeps breaking the connection', async () => {
    const mirror = fakeMirror({ kubelet });
    mirror.hasRanges = false;
    mirror.cutAfter = [3000, ...Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? 2000 : 2500))];
    const filled = open(mirror).fill([requestOf('kubelet', kubelet)]);
    await expect(filled).rejects.toMatchObject({ code: 'image/mirror-unreachable' });
    expect(mirror.requests.length).toBeLessThan(10);
  });

  it.each([
    ['wrong bytes', 'not the beginning'],
    ['too many bytes', `${kubelet}and more`],
    ['all of it, wrong', kubelet.toUpperCase()],
  ])('starts again if an abandoned partial file has %s', async (_what, left) => {
    const request = requestOf('kubelet', kubelet);
    mkdirSync(join(top, 'cache', 'partial'), { recursive: true });
    const part = join(top, 'cache', 'partial', `${request.sha256}.abc`);
    writeFileSync(part, left);
    utimesSync(part, 1, 1);
    await open(fakeMirror({ kubelet })).fill([request]);
    expect(readFileSync(placeOf(request.sha256), 'utf8')).toBe(kubelet);
    expect(partials()).toEqual([]);
  });

  it('waits as long as a busy mirror requests, and retries', async () => {
    const mirror = fakeMirror({ kubelet });
    mirror.next = [
      () => new Response(null, { status: 429, headers: { 'retry-after': '7' } }),
      () => new Response(null, { status: 503 }),
      () => Promise.reject(Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNRESET' } })),
    ];
    const clock = fakeClock(Date.now());
    await open(mirror, { clock }).fill([requestOf('kubelet', kubelet)]);
    expect(clock.sleptMs).toBe(7000 + 2000 + 4000);
  });

  it('gives up on an unreachable mirror', async () => {
    const mirror = fakeMirror({});
    mirror.next = Array.from({ length: 9 }, () => () => new Response(null, { status: 502 }));
    const filled = open(mirror).fill([requestOf('kubelet', kubelet)]);
    await expect(filled).rejects.toMatchObject({ code: 'image/mirror-unreachable' });
    expect(mirror.requests).toHaveLength(5);
  });

  it('does not retry a file that the mirror does not have', async () => {
    const mirror = fakeMirror({});
    const filled = open(mirror).fill([requestOf('kubelet', kubelet)]);
    await expect(filled).rejects.toMatchObject({
      code: 'image/not-on-mirror',
      message: expect.stringMatching(/^kubelet: .*404/),
    });
    expect(mirror.requests).toHaveLength(1);
  });

  it('stops reading an endless response', async () => {
    const mirror = fakeMirror({});
    mirror.next = [
      () => new Response(new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(5000)) })),
    ];
    const filled = open(mirror).fill([requestOf('kubelet', kubelet)]);
    await expect(filled).rejects.toMatchObject({
      code: 'image/wrong-digest',
      message: expect.stringContaining('more than 8000 bytes'),
    });
  });

  it('reports a missing mirror with origin, component and next step, before it fetches anything', async () => {
    const mirror = fakeMirror({ kubelet });
    const nowhere = { ...requestOf('crictl', 'x', 'upstream:cri-tools'), component: 'crictl' };
    const error = await open(mirror)
      .fill([requestOf('kubelet', kubelet), nowhere])
      .catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'image/no-mirror', next: expect.stringContaining('/etc/mirrors.yaml') });
    expect((error as Error).message).toMatch(/upstream:cri-tools.*crictl/);
    expect(mirror.requests).toEqual([]);
  });

  it('checks free space first', async () => {
    const mirror = fakeMirror({ kubelet });
    const filled = open(mirror, { freeBytes: async () => 1000 }).fill([requestOf('kubelet', kubelet)]);
    await expect(filled).rejects.toMatchObject({ code: 'image/no-space', kept: 'Nothing was fetched.' });
    expect(mirror.requests).toEqual([]);
  });

  it('reports a disk that fills up during the download', async () => {
    const mirror = fakeMirror({});
    mirror.next = [
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.error(Object.assign(new Error(), { code: 'ENOSPC' })),
          }),
        ),
    ];
    const filled = open(mirror).fill([requestOf('kubelet', kubelet)]);
    await expect(filled).rejects.toMatchObject({ code: 'image/no-space', message: expect.stringContaining('kubelet') });
  });

  it('reads files from a folder, of any size if none is given', async () => {
    mkdirSync(join(top, 'folder', 'bin'), { recursive: true });
    writeFileSync(join(top, 'folder', 'bin', 'headstart'), kubelet);
    const { bytes: _, ...request } = requestOf('bin/headstart', kubelet, 'local:folder');
    const cache = open(fakeMirror({}));
    await cache.fill([request]);
    expect(readFileSync(await cache.open(request), 'utf8')).toBe(kubelet);
    const missing = cache.fill([requestOf('bin/other', 'x', 'local:folder')]);
    await expect(missing).rejects.toMatchObject({ code: 'image/not-on-mirror' });
  });

  it('refuses a pipe and a folder', async () => {
    mkdirSync(join(top, 'folder', 'sub'), { recursive: true });
    execFileSync('mkfifo', [join(top, 'folder', 'pipe')]);
    for (const path of ['pipe', 'sub']) {
      const filled = open(fakeMirror({})).fill([requestOf(path, 'x', 'local:folder')]);
      await expect(filled).rejects.toMatchObject({
        code: 'image/not-on-mirror',
        message: expect.stringContaining('not a plain file'),
      });
    }
  });

  it('reports a cache folder that cannot be created', async () => {
    writeFileSync(join(top, 'taken'), '');
    // mkdir with `recursive` never returns for a folder below /proc.
    for (const folder of [join(top, 'taken', 'cache'), '/proc/headstart/cache']) {
      const filled = open(fakeMirror({}), { folder }).fill([requestOf('x', 'x')]);
      await expect(filled).rejects.toMatchObject({ code: 'image/cache-unusable' });
    }
  });

  it.each(['../secret', '/etc/passwd', 'a/../../b', 'a//b', 'a\\b', 'a\0b', './a', ''])(
    'refuses the path %j, which leaves the origin',
    async (path) => {
      const filled = open(fakeMirror({})).fill([{ ...requestOf('x', 'x', 'local:folder'), path }]);
      await expect(filled).rejects.toMatchObject({ code: 'image/bad-path' });
    },
  );

  it('supports two concurrent builds', async () => {
    const files = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`file${i}`, `${i} `.repeat(2000)]));
    const request = Object.entries(files).map(([path, content]) => requestOf(path, content));
    const [one, two] = [fakeMirror(files), fakeMirror(files)];
    one.cutAfter = [100, 200, 300];
    await Promise.all([open(one).fill(request), open(two).fill(request)]);
    for (const each of request) await open(one).open(each);
    expect(partials()).toEqual([]);
  });

  it('stops all downloads when one fails, before it returns', async () => {
    const files = Object.fromEntries(Array.from({ length: 20 }, (_, i) => [`file${i}`, 'x'.repeat(50_000 + i)]));
    const request = Object.entries(files).map(([path, content]) => requestOf(path, content));
    const mirror = fakeMirror(files);
    const filled = open(mirror).fill([requestOf('missing', 'm'), ...request]);
    await expect(filled).rejects.toMatchObject({ code: 'image/not-on-mirror' });
    const requested = mirror.requests.length;
    expect(requested).toBeLessThan(20);
    await new Promise((resolve) => setImmediate(resolve));
    expect(mirror.requests).toHaveLength(requested);
  });

  it('reports progress in steps', async () => {
    const reports: [string, number | undefined][] = [];
    await open(fakeMirror({ kubelet, other: 'x' })).fill([requestOf('kubelet', kubelet), requestOf('other', 'x')], {
      onWaiting: (what, percent) => reports.push([what, percent]),
    });
    expect(reports[0]).toEqual(['the files to be fetched: 0 of 2, 0 of 1 MB', 0]);
    expect(reports.length).toBeLessThanOrEqual(12);
    expect(reports.at(-1)?.[1]).toBe(100);
  });

  it('stores the same bytes wherever and however often the connection breaks', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 9000 }),
        fc.array(fc.nat(9000), { maxLength: 4 }),
        fc.boolean(),
        async (content, cuts, hasRanges) => {
          const mirror = fakeMirror({ file: content });
          mirror.cutAfter = cuts;
          mirror.hasRanges = hasRanges;
          const folder = mkdtempSync(join(top, 'each-'));
          const cache = open(mirror, { folder });
          const request = requestOf('file', content);
          await cache.fill([request]);
          expect(readFileSync(await cache.open(request)).equals(Buffer.from(content))).toBe(true);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('open', () => {
  it('detects a changed byte and moves the file aside, and the next fill fetches it again', async () => {
    const cache = open(fakeMirror({ kubelet }));
    const request = requestOf('kubelet', kubelet);
    await cache.fill([request]);
    const place = placeOf(request.sha256);
    chmodSync(place, 0o644);
    writeFileSync(place, kubelet.replace('k', 'K'));
    await expect(cache.open(request)).rejects.toMatchObject({
      code: 'image/cache-damaged',
      message: expect.stringContaining('kubelet'),
    });
    expect(existsSync(place)).toBe(false);
    expect(readdirSync(join(top, 'cache', 'damaged'))).toEqual([request.sha256]);
    await cache.fill([request]);
    expect(await cache.open(request)).toBe(place);
  });

  it('fetches nothing', async () => {
    const mirror = fakeMirror({ kubelet });
    await expect(open(mirror).open(requestOf('kubelet', kubelet))).rejects.toMatchObject({
      code: 'image/not-in-cache',
    });
    expect(mirror.requests).toEqual([]);
  });

  it('lets fill replace a file with a wrong size', async () => {
    const mirror = fakeMirror({ kubelet });
    const request = requestOf('kubelet', kubelet);
    await open(mirror).fill([request]);
    chmodSync(placeOf(request.sha256), 0o644);
    writeFileSync(placeOf(request.sha256), 'cut');
    await open(mirror).fill([request]);
    expect(await open(mirror).open(request)).toBe(placeOf(request.sha256));
  });
});

describe('add', () => {
  it('stores a copy under its hash, and is idempotent', async () => {
    const file = join(top, 'made-here');
    writeFileSync(file, kubelet);
    const cache = open(fakeMirror({}));
    const sum = await cache.add(file);
    expect(sum).toEqual({ sha256: sha256Of(kubelet), bytes: kubelet.length });
    expect(await cache.add(file)).toEqual(sum);
    writeFileSync(file, 'changed');
    expect(readFileSync(await cache.open({ component: 'it', ...sum }), 'utf8')).toBe(kubelet);
    expect(partials()).toEqual([]);
  });
});
