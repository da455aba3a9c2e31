// e2e/image-build.test.ts: does the same lock give the same bytes, is a changed byte refused, and is the next patch version cheap?
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runCommand } from '../src/base/command.ts';
import { verb } from '../src/cli/image/build.ts';
import { runVerb } from '../src/cli/testing.ts';
import type { BuildRecord } from '../src/image/build/contract.ts';
import { layerKey } from '../src/image/build/layers/base-layer.ts';
import { toolVersions } from '../src/image/build/tool-versions.ts';
import { createCache } from '../src/image/fetch/disk-cache.ts';
import type { ImageLock } from '../src/image/lock/lock.ts';
import { readLock, writeLock } from '../src/image/lock/read-lock.ts';
import { readTest, writeTest } from '../src/image/test/record.ts';
import { type BootTest, hasPassed, withBoot } from '../src/image/test/verdict.ts';
import { type EnsuredImage, ensureImage } from './programs/ensure-image.ts';

const LONG_MS = 60 * 60_000;
const top = mkdtempSync(join(tmpdir(), 'headstart image-'));
let image: EnsuredImage;
let lock: ImageLock;

beforeAll(async () => {
  image = await ensureImage();
  lock = readLock(image.lock);
}, LONG_MS);
afterAll(() => rmSync(top, { recursive: true, force: true }));

interface Where {
  lock?: string;
  cache?: string;
  out: string;
  kubernetes?: string;
  signal?: AbortSignal;
}

async function build({ lock: file = image.lock, cache = image.cache, out, kubernetes, signal }: Where) {
  const argv = ['--offline', '--lock', file, '--cache', cache, '--mirrors', image.mirrors, '--out', out];
  if (kubernetes !== undefined) argv.push('--kubernetes', kubernetes);
  const startedMs = performance.now();
  const ran = await runVerb(verb, argv, { env: process.env, ...(signal && { signal }) });
  return { ...ran, tookSec: (performance.now() - startedMs) / 1000 };
}

/** The downloads, without the layers. */
function freshCache(name: string): string {
  const cache = join(top, name);
  mkdirSync(cache);
  cpSync(join(image.cache, 'sha256'), join(cache, 'sha256'), { recursive: true });
  return cache;
}

/** Deletes the shared layer, which would be used instead. Returns its name. */
async function copyBaseLayer(cache: string): Promise<string> {
  const layers = join(image.cache, 'layers');
  const name = layerKey(lock, await toolVersions(runCommand));
  mkdirSync(join(cache, 'layers'), { recursive: true });
  await runCommand(['cp', '--archive', '--sparse=always', join(layers, name), join(cache, 'layers', name)], {
    timeoutMs: 10 * 60_000,
  });
  return name;
}

function flipByte(file: string, at: number): void {
  const bytes = readFileSync(file);
  bytes[at] = bytes[at]! ^ 1;
  unlinkSync(file);
  writeFileSync(file, bytes);
}

const cached = (cache: string, sha256: string) => join(cache, 'sha256', sha256.slice(0, 2), sha256);
const recordIn = (folder: string) => JSON.parse(readFileSync(join(folder, 'build.json'), 'utf8')) as BuildRecord;
const whole = (out: string) => (existsSync(out) ? readdirSync(out) : []);

describe('an image', { timeout: LONG_MS }, () => {
  it('is the same, byte for byte, in another folder, from another cache, at another time', async () => {
    const out = join(top, 'again');
    const { code, stderr, tookSec } = await build({ cache: freshCache('second cache'), out });
    expect(code, stderr).toBe(0);
    console.log(`without a base layer: ${tookSec.toFixed(1)} s`);
    const [name] = whole(out);
    const [first, second] = [image.folder, join(out, name!)];
    expect(recordIn(second)).toEqual(recordIn(first));
    for (const file of Object.keys(recordIn(first).files)) {
      const same = await runCommand(['cmp', join(first, file), join(second, file)], { timeoutMs: 10 * 60_000 });
      expect(same.code, `${file}: ${same.stdout}`).toBe(0);
    }
    rmSync(join(top, 'second cache'), { recursive: true });
    rmSync(out, { recursive: true });
  });

  it('of the next patch version needs only the difference, and has other bytes', async () => {
    // Like another release of kubelet: another file with another hash.
    const [kubelet] = lock.artifacts.filter(({ component }) => component === 'kubelet');
    const next = join(top, 'kubelet');
    cpSync(cached(image.cache, kubelet!.sha256), next);
    writeFileSync(next, 'another release', { flag: 'a' });
    const cache = createCache({
      folder: image.cache,
      mirrors: { locate: () => Promise.reject() } as never,
      fetch: () => Promise.reject(new Error('nothing is fetched')),
      clock: { nowMs: () => 0, sleep: () => Promise.reject(new Error('nothing is waited for')) },
      freeBytes: async () => 0,
    });
    const sum = await cache.add(next);
    const file = join(top, 'two.lock.json');
    writeLock(file, {
      ...lock,
      kubernetes: [...lock.kubernetes, '1.35.99'],
      artifacts: [...lock.artifacts, { ...kubelet!, ...sum, version: '1.35.99', kubernetes: '1.35.99' }],
    });
    const out = join(top, 'two');
    for (const kubernetes of [image.kubernetes, '1.35.99']) {
      const { code, stderr, tookSec } = await build({ lock: file, out, kubernetes });
      expect(code, stderr).toBe(0);
      console.log(`${kubernetes} on a warm cache: ${tookSec.toFixed(1)} s`);
    }
    const records = whole(out).map((name) => recordIn(join(out, name)));
    expect(new Set(records.map(({ contentSha256 }) => contentSha256)).size).toBe(2);
    // Another version in the lock does not affect this one.
    const before = recordIn(image.folder);
    const again = records.find(({ kubernetes }) => kubernetes === image.kubernetes)!;
    expect(again.files['disk.vhd']).toEqual(before.files['disk.vhd']);
    expect(again.contentSha256).toBe(before.contentSha256);
  });

  it('gets another format and keeps the existing ones and their test result', async () => {
    const out = join(top, 'formats');
    const run = (...more: string[]) => {
      const argv = ['--offline', '--lock', image.lock, '--cache', image.cache, '--mirrors', image.mirrors];
      return runVerb(verb, [...argv, '--out', out, '--kubernetes', image.kubernetes, ...more], { env: process.env });
    };
    expect(await run('--only', 'qcow2')).toMatchObject({ code: 0 });
    const folder = join(out, whole(out)[0]!);
    const before = recordIn(folder);
    const { 'disk.qcow2': disk, vmlinux, 'initrd.cpio': initrd } = before.files;
    const files = { 'disk.qcow2': disk!.sha256, vmlinux: vmlinux!.sha256, 'initrd.cpio': initrd!.sha256 };
    const boot: BootTest = { way: 'kernel', files, isPassed: true, checks: [], phases: [], budget: [] };
    writeTest(folder, withBoot(undefined, before, boot));
    expect(await run('--only', 'raw')).toMatchObject({ code: 0 });
    const after = recordIn(folder);
    expect(after.files['disk.qcow2']).toEqual(disk);
    expect(existsSync(join(folder, 'disk.raw'))).toBe(true);
    expect(hasPassed(await readTest(folder), after, 'kernel')).toBe(true);
    rmSync(out, { recursive: true });
  });

  it('is not built with a changed byte in a package or a program; the file is named and moved away', async () => {
    const cache = freshCache('changed cache');
    for (const name of ['runc', 'kubelet']) {
      // Packages are verified when the base layer is built.
      if (name === 'kubelet') await copyBaseLayer(cache);
      const { sha256 } = lock.artifacts.find(({ component }) => component === name)!;
      flipByte(cached(cache, sha256), 5000);
      const out = join(top, `changed ${name}`);
      const { code, stderr } = await build({ cache, out });
      expect(code, stderr).toBe(1);
      expect(stderr).toContain('image/cache-damaged');
      expect(stderr).toContain(`error: ${name} is damaged in the cache`);
      expect(whole(out)).toEqual([]);
      expect(readdirSync(join(cache, 'damaged'))).toContain(sha256);
    }
  });

  it('is not built from a base layer with a changed byte, which is named and moved away', async () => {
    const cache = freshCache('changed layers');
    const layer = await copyBaseLayer(cache);
    const root = join(cache, 'layers', layer, 'root.ext4');
    await runCommand(['chmod', 'u+w', root]);
    const at = 300 * 2 ** 20 + 17;
    const [before] = (await runCommand(['dd', `if=${root}`, 'bs=1', `skip=${at}`, 'count=1'])).stdout;
    const input = Uint8Array.of(before! ^ 1);
    await runCommand(['dd', `of=${root}`, 'bs=1', `seek=${at}`, 'conv=notrunc'], { input });
    const out = join(top, 'changed layer');
    const { code, stderr } = await build({ cache, out });
    expect(code, stderr).toBe(1);
    expect(stderr).toContain('image/layer-damaged');
    expect(stderr).toContain('root.ext4');
    expect(whole(out)).toEqual([]);
    expect(readdirSync(join(cache, 'damaged'))).toContain(layer);
  });

  it('leaves nothing behind when it is interrupted, and existing images stay complete', async () => {
    const out = join(top, 'two');
    const before = whole(out);
    const sums = before.map((name) =>
      createHash('sha256')
        .update(readFileSync(join(out, name, 'build.json')))
        .digest('hex'),
    );
    rmSync(join(out, before[0]!), { recursive: true });
    const stop = new AbortController();
    const ran = build({ lock: join(top, 'two.lock.json'), out, signal: stop.signal });
    await expect.poll(() => whole(out).some((name) => name.startsWith('.partial-')), { timeout: LONG_MS }).toBe(true);
    stop.abort(new Error('Ctrl-C'));
    const { code, stderr } = await ran;
    expect(code, stderr).toBe(4);
    expect(whole(out)).toEqual(before.slice(1));
    const now = readFileSync(join(out, before[1]!, 'build.json'));
    expect(createHash('sha256').update(now).digest('hex')).toBe(sums[1]);
  });
});
