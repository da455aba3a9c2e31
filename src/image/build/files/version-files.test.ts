import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Cache } from '../../fetch/cache.ts';
import type { LockedFile } from '../../lock/lock.ts';
import { sha256Of } from '../../testing.ts';
import { aLock, anArtifact, SOME_TOOLS } from '../locks.testing.ts';
import { belowUsr, hasWatchdog, layOutShared, layOutVersion, sharedArtifacts } from './version-files.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-version-'));
afterAll(() => rmSync(folder, { recursive: true }));
const opened: string[] = [];
const cache = {
  open: async ({ component }) => {
    opened.push(component);
    writeFileSync(join(folder, component), component);
    return join(folder, component);
  },
} as Partial<Cache> as Cache;
const run = () => Promise.reject(new Error('nothing is run'));
const deps = { cache, run, isRoot: true, tools: SOME_TOOLS, folder: '/scratch' };
const facts = { contentSha256: 'ab'.repeat(32), kernelRelease: '6.1' };
const KUBELET = anArtifact('kubelet', 'binary', { kubernetes: '1.35.8', install: { to: '/usr/local/bin/kubelet' } });
const file = (to: string): LockedFile => ({
  ...{ component: 'own', to, mode: 0o600, sha256: '00'.repeat(32), content: 'own\n', licence: 'MIT' },
});

describe('layOutVersion', () => {
  it('returns the verified programs of this version and the release file', async () => {
    const lock = aLock([KUBELET, { ...KUBELET, component: 'older', kubernetes: '1.35.7' }]);
    const { files, placed, release } = await layOutVersion({ lock, kubernetes: '1.35.8' }, facts, 0, deps);
    expect(opened).toEqual(['kubelet']);
    expect(files).toContainEqual({ path: 'usr/local/bin/kubelet', mode: 0o755, from: join(folder, 'kubelet') });
    expect(placed).toEqual([{ path: '/usr/local/bin/kubelet', mode: 0o755, sha256: sha256Of('kubelet') }]);
    expect(files).toContainEqual({ path: 'usr/lib/headstart/release.json', mode: 0o644, bytes: release });
  });

  it('shares no files with layOutShared', async () => {
    opened.length = 0;
    const lock = aLock([
      KUBELET,
      anArtifact('headstart', 'binary', { install: { to: '/usr/lib/headstart/headstart' } }),
    ]);
    const target = { lock, kubernetes: '1.35.8' };
    const own = await layOutVersion(target, facts, 0, deps);
    expect(own.files.map(({ path }) => path)).not.toContain('usr/lib/headstart/headstart');
    expect((await layOutShared(target, 0, deps)).files.map(({ path }) => path)).toEqual([
      'usr/lib/headstart/headstart',
    ]);
    expect(opened).toEqual(['kubelet', 'headstart']);
  });

  it('includes all container images if one of them is version-specific', () => {
    const images = [anArtifact('pause', 'oci-image'), anArtifact('proxy', 'oci-image', { kubernetes: '1.35.8' })];
    const of = (kubernetes: string) => sharedArtifacts({ lock: aLock(images), kubernetes }).images;
    expect(of('1.35.7').map(({ component }) => component)).toEqual(['pause']);
    expect(of('1.35.8')).toEqual([]);
  });

  it('lets a file of the manifest replace a program, once', async () => {
    const lock = aLock([], { files: [file('/etc/containerd/config.toml'), file('/lib/udev/rules.d/9.rules')] });
    const { files, placed } = await layOutVersion({ lock, kubernetes: '1.35.8' }, facts, 0, deps);
    expect(placed.map(({ path, mode }) => [path, mode])).toEqual([
      ['/etc/containerd/config.toml', 0o600],
      ['/usr/lib/udev/rules.d/9.rules', 0o600],
    ]);
    expect(files.filter(({ path }) => path === 'etc/containerd/config.toml')).toEqual([
      { path: 'etc/containerd/config.toml', mode: 0o600, bytes: 'own\n' },
    ]);
    expect(files.map(({ path }) => path)).toContain('usr/lib/udev/rules.d/9.rules');
  });

  it.each([
    ['bin/x', 'usr/bin/x'],
    ['lib64/x', 'usr/lib64/x'],
    ['library/x', 'library/x'],
    ['usr/bin/x', 'usr/bin/x'],
  ])('writes %s to %s, not through a link', (path, place) => {
    expect(belowUsr(path)).toBe(place);
  });

  it.each([
    ['1.31.9', false],
    ['1.32.0', true],
    ['1.35.8', true],
    ['2.0.0', true],
  ])('enables the watchdog of kubelet %s: %s', (version, isWatched) => {
    expect(hasWatchdog(version)).toBe(isWatched);
  });
});
