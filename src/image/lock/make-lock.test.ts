import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { createCache } from '../fetch/disk-cache.ts';
import { createMirrors } from '../fetch/mirrors.ts';
import { aManifest, CONTAINERD, fileText, KUBELET, SHA } from '../manifest/manifests.testing.ts';
import { fakeMirror, sha256Of } from '../testing.ts';
import { artifactsOf, baseSha256, contentSha256 } from './content-hash.ts';
import type { Lock } from './lock.ts';
import { makeLock } from './make-lock.ts';
import type { IndexEntry } from './package-index.ts';
import { parseLock, readLock, readLockIfThere, renderLock, writeLock } from './read-lock.ts';

let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'lock-'));
});
afterEach(() => rmSync(top, { recursive: true, force: true }));

const entry = (name: string, isAsked = false): IndexEntry & { isAsked: boolean } => ({
  name,
  version: '1.7.24-1',
  suite: 'bookworm-security',
  path: `pool/${name}.deb`,
  sha256: sha256Of(name),
  bytes: 7,
  isBasic: false,
  isAsked,
});
const indices = [
  { suite: 'bookworm', date: '2026-11-09T10:00:00.000Z', sha256: SHA },
  { suite: 'bookworm-security', date: '2027-01-05T01:00:00.000Z', sha256: SHA },
];

function edges(files: Record<string, string>) {
  const mirrors = createMirrors({
    mirrors: new Map([['upstream:kubernetes', 'https://mirror.test/']]),
    file: 'm',
    aptLines: [],
  });
  const cache = createCache({
    folder: join(top, 'cache'),
    mirrors,
    fetch: fakeMirror(files).fetch,
    clock: fakeClock(),
    freeBytes: async () => 2 ** 40,
  });
  return { cache, resolveDebs: async () => ({ debs: [entry('libc6'), entry('containerd', true)], indices }) };
}

const twoImages = async () => {
  const kubelet = KUBELET.replace(
    /versions:[\s\S]*install/,
    `versions:
      - { version: 1.35.8, sources: { amd64: { origin: upstream:kubernetes, path: kubelet8, sha256: ${sha256Of('eight')} } } }
      - { version: 1.35.9, kubernetes: 1.35.9, sources: { amd64: { origin: upstream:kubernetes, path: kubelet9, sha256: ${sha256Of('nine')} } } }
    install`,
  );
  const crictl = KUBELET.replaceAll('kubelet', 'crictl').replace(SHA, sha256Of('crictl'));
  return aManifest(`${CONTAINERD}${kubelet}${crictl}${fileText('motd', '/etc/motd', 'hi')}`, '1.35.8, 1.35.9');
};
const FILES = { kubelet8: 'eight', kubelet9: 'nine', 'v1.35.8/crictl': 'crictl' };
const aLock = async () => makeLock(await twoImages(), 'amd64', edges(FILES));

describe('makeLock', () => {
  it('has every byte with hash, size and origin, in one order', async () => {
    const lock = await aLock();
    expect(
      lock.artifacts.map(({ kind, component, version, kubernetes, bytes, origin }) => [
        kind,
        component,
        version,
        kubernetes,
        bytes,
        origin,
      ]),
    ).toEqual([
      ['binary', 'crictl', '1.35.8', undefined, 6, 'upstream:kubernetes'],
      ['binary', 'kubelet', '1.35.8', '1.35.8', 5, 'upstream:kubernetes'],
      ['binary', 'kubelet', '1.35.9', '1.35.9', 4, 'upstream:kubernetes'],
      ['deb', 'containerd', '1.7.24-1', undefined, 7, 'debian:bookworm-security'],
      ['deb', 'libc6', '1.7.24-1', undefined, 7, 'debian:bookworm-security'],
    ]);
    expect(lock.artifacts.find(({ component }) => component === 'containerd')).toMatchObject({
      isAsked: true,
      licence: 'Apache-2.0',
    });
    expect(lock.artifacts.find(({ component }) => component === 'libc6')).toMatchObject({ licence: 'NOASSERTION' });
    expect(lock.files).toEqual([
      { component: 'motd', to: '/etc/motd', mode: 0o644, content: 'hi', sha256: sha256Of('hi'), licence: 'Apache-2.0' },
    ]);
    expect(lock.base).toEqual({ origin: 'debian:bookworm', date: '2027.105', patch: 0, indices });
    expect(artifactsOf(lock, '1.35.9').map(({ component, version }) => `${component} ${version}`)).toContain(
      'kubelet 1.35.9',
    );
    expect(artifactsOf(lock, '1.35.9')).toHaveLength(4);
  });

  it('refuses what is not what the manifest says, with the component', async () => {
    const made = makeLock(await twoImages(), 'amd64', edges({ ...FILES, kubelet9: 'tampered' }));
    await expect(made).rejects.toMatchObject({
      code: 'image/wrong-digest',
      message: expect.stringContaining('kubelet'),
    });
  });

  it('says no word of a mirror', async () => {
    expect(renderLock(await aLock())).not.toContain('mirror');
  });
});

describe('the hashes', () => {
  it('of one image do not change with another, with indices or with the manifest; of all with what they share', async () => {
    const lock = await aLock();
    const [eight, nine] = [contentSha256(lock, '1.35.8'), contentSha256(lock, '1.35.9')];
    expect(eight).not.toBe(nine);
    const other = edit(lock, (artifact) => (artifact.version === '1.35.9' ? { ...artifact, sha256: SHA } : artifact));
    expect(contentSha256(other, '1.35.8')).toBe(eight);
    expect(contentSha256(other, '1.35.9')).not.toBe(nine);
    expect(contentSha256({ ...lock, manifestSha256: SHA, base: { ...lock.base, indices: [] } }, '1.35.8')).toBe(eight);
    expect(contentSha256({ ...lock, base: { ...lock.base, patch: 1 } }, '1.35.8')).not.toBe(eight);
    const debs = edit(lock, (artifact) => (artifact.kind === 'deb' ? { ...artifact, sha256: SHA } : artifact));
    expect(contentSha256(debs, '1.35.8')).not.toBe(eight);
    expect(baseSha256(debs)).not.toBe(baseSha256(lock));
    expect(baseSha256(other)).toBe(baseSha256(lock));
  });

  it('do not go by order', async () => {
    const lock = await aLock();
    fc.assert(
      fc.property(fc.shuffledSubarray([...lock.artifacts], { minLength: lock.artifacts.length }), (artifacts) => {
        expect(contentSha256({ ...lock, artifacts }, '1.35.8')).toBe(contentSha256(lock, '1.35.8'));
        expect(baseSha256({ ...lock, artifacts })).toBe(baseSha256(lock));
      }),
    );
  });
});

function edit(lock: Lock, change: (artifact: Lock['artifacts'][number]) => Lock['artifacts'][number]): Lock {
  return { ...lock, artifacts: lock.artifacts.map(change) };
}

describe('the file of a lock', () => {
  it('is the same lock when it is read, and the same text when it is written again', async () => {
    const file = join(top, 'image.lock.json');
    const lock = await aLock();
    writeLock(file, lock);
    expect(readLock(file)).toEqual(lock);
    expect(renderLock(readLock(file))).toBe(readFileSync(file, 'utf8'));
    expect(statSync(file).mode & 0o777).toBe(0o644);
  });

  it('can be read whatever the manifest could say', async () => {
    const manifest = await aManifest(
      `${CONTAINERD}${fileText('rc', '/root/.bashrc', 'x')}${fileText('odd', '/srv/a@b:c+d/..x', '')}`,
    );
    const lock = await makeLock(manifest, 'amd64', edges(FILES));
    expect(parseLock(renderLock(lock), 'x')).toEqual(lock);
  });

  it('that is absent is no lock, or an error with the way to one', () => {
    expect(readLockIfThere(join(top, 'none'))).toBeUndefined();
    expect(() => readLockIfThere(top)).toThrow(expect.objectContaining({ code: 'image/bad-lock' }));
    expect(() => readLock(join(top, 'none'))).toThrow(
      expect.objectContaining({ code: 'image/no-lock', next: expect.stringContaining('image lock') }),
    );
  });

  it('that cannot be written leaves the old one', () => {
    expect(() => writeLock(join(top, 'no', 'such', 'folder'), {} as Lock)).toThrow(
      expect.objectContaining({ code: 'image/lock-not-written' }),
    );
  });

  it.each([
    ['{', 'is not JSON'],
    ['', 'is empty'],
    ['{"kind":"ImageLock"}', 'artifacts: is missing'],
    ['{}', 'x.json is not a lock'],
    ['{"name":"a package"}', 'x.json is not a lock'],
    ['[]', 'x.json is not a lock'],
    ['null', 'x.json is not a lock'],
  ])('with %j in it is refused', (text, why) => {
    expect(() => parseLock(text, 'x.json')).toThrow(why);
  });

  it('with a path out of its origin, or a field nobody knows, is refused', async () => {
    const lock = await aLock();
    const escaping = edit(lock, (artifact) => ({ ...artifact, path: '../../etc/passwd' }));
    expect(() => parseLock(renderLock(escaping), 'x')).toThrow('artifacts[0].path: is not a path below its origin');
    const outside = edit(lock, (artifact) => ({ ...artifact, install: { to: '/usr/../../etc' } }));
    expect(() => parseLock(renderLock(outside), 'x')).toThrow('artifacts[0].install.to: is not an absolute path');
    const twice = { ...lock, artifacts: [...lock.artifacts, lock.artifacts[0]!] };
    expect(() => parseLock(renderLock(twice), 'x')).toThrow('is there twice');
    const file = {
      component: 'motd',
      to: '/etc/motd',
      mode: 0o644,
      licence: 'MIT',
      content: 'a',
      sha256: sha256Of('a'),
    };
    expect(parseLock(renderLock({ ...lock, files: [file] }), 'x').files).toEqual([file]);
    for (const other of [
      { ...file, component: 'other' },
      { ...file, to: '/etc/other' },
    ])
      expect(() => parseLock(renderLock({ ...lock, files: [file, other] }), 'x')).toThrow('is there twice');
    const swapped = { ...lock, files: [{ ...file, content: 'b' }] };
    expect(() => parseLock(renderLock(swapped), 'x')).toThrow('its content is not what its sha256 says');
    writeFileSync(join(top, 'more.json'), renderLock({ ...lock, extra: 1 } as Lock));
    expect(() => readLock(join(top, 'more.json'))).toThrow('extra: is not a field');
  });
});
