import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { createCache } from '../fetch/disk-cache.ts';
import { createMirrors } from '../fetch/mirrors.ts';
import { aManifest, CONTAINERD, fileText, KUBELET, SHA } from '../manifest/manifests.testing.ts';
import { fakeMirror, sha256Of } from '../testing.ts';
import { artifactsOf } from './content-hash.ts';
import { makeLock } from './make-lock.ts';
import type { IndexEntry } from './package-index.ts';
import { parseLock, renderLock } from './read-lock.ts';

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

function deps(files: Record<string, string>) {
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
const aLock = async () => makeLock(await twoImages(), 'amd64', deps(FILES));

describe('makeLock', () => {
  it('locks everything with hash, size and origin, in a fixed order', async () => {
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

  it("names the component whose bytes do not match the manifest's hash", async () => {
    const made = makeLock(await twoImages(), 'amd64', deps({ ...FILES, kubelet9: 'tampered' }));
    await expect(made).rejects.toMatchObject({
      code: 'image/wrong-digest',
      message: expect.stringContaining('kubelet'),
    });
  });

  it('does not mention mirrors in the lock', async () => {
    expect(renderLock(await aLock())).not.toContain('mirror');
  });

  it('makes a lock that can be read back for unusual install paths', async () => {
    const manifest = await aManifest(
      `${CONTAINERD}${fileText('rc', '/root/.bashrc', 'x')}${fileText('odd', '/srv/a@b:c+d/..x', '')}`,
    );
    const lock = await makeLock(manifest, 'amd64', deps(FILES));
    expect(parseLock(renderLock(lock), 'x')).toEqual(lock);
  });
});
