// A manifest is locked with Debian's real packages, twice; a newer Kubernetes is found and taken. Needs apt and a package mirror.
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verb as lock } from '../src/cli/image/lock.ts';
import { verb as update } from '../src/cli/image/update.ts';
import { runVerb } from '../src/cli/testing.ts';
import { readLock, writeLock } from '../src/image/lock/read-lock.ts';

const top = mkdtempSync(join(tmpdir(), 'headstart-lock-'));
const env = { ...process.env, HEADSTART_MIRRORS: join(top, 'mirrors.yaml'), HEADSTART_CACHE: join(top, 'cache') };
const [manifest, locked] = [join(top, 'image.yaml'), join(top, 'image.lock.json')];
afterAll(() => rmSync(top, { recursive: true, force: true }));

/** Stands in for upstream: it is the way of the bytes that is tested, not what they are. */
function publish(version: string): string {
  mkdirSync(join(top, 'upstream', `v${version}`), { recursive: true });
  writeFileSync(join(top, 'upstream', `v${version}`, 'kubelet'), `kubelet ${version}`);
  return createHash('sha256').update(`kubelet ${version}`).digest('hex');
}

beforeAll(() => {
  writeFileSync(join(top, 'mirrors.yaml'), 'mirrors:\n  upstream:kubernetes: upstream\n');
  writeFileSync(
    manifest,
    `apiVersion: headstart.dev/v1
kind: ImageManifest
name: node
base: { origin: debian:bookworm }
kubernetes: [1.35.1] # what clusters run
components:
  - { name: containerd, kind: deb, version: 1.6.*, licence: Apache-2.0, reason: runs containers, constraints: [runc >= 1.1] }
  - { name: runc, kind: deb, licence: Apache-2.0, reason: starts them }
  - name: kubelet
    kind: binary
    licence: Apache-2.0
    reason: the node agent # of course
    versions:
      - version: 1.35.1
        kubernetes: 1.35.1
        sources: { amd64: { origin: upstream:kubernetes, path: v1.35.1/kubelet, sha256: ${publish('1.35.1')} } }
    install: { to: /usr/bin/kubelet }
`,
  );
});

describe('image lock', () => {
  it('finds the bytes of everything, and the same ones again from an empty cache', { timeout: 300_000 }, async () => {
    const first = await runVerb(lock, ['-f', manifest], { env });
    expect(first, first.stderr).toMatchObject({ code: 0 });
    const { artifacts, base } = readLock(locked);
    const names = artifacts.map(({ component }) => component);
    // Asked for, needed by it, and part of every system.
    for (const name of ['containerd', 'runc', 'libseccomp2', 'libc6', 'dpkg', 'apt', 'kubelet'])
      expect(names).toContain(name);
    expect(artifacts.every(({ sha256, bytes }) => /^[0-9a-f]{64}$/.test(sha256) && bytes > 0)).toBe(true);
    expect(artifacts.find(({ component }) => component === 'containerd')).toMatchObject({ kind: 'deb', isAsked: true });
    expect(base.indices.map(({ suite }) => suite)).toContain('bookworm');
    const text = readFileSync(locked, 'utf8');
    const elsewhere = ['-f', manifest, '-o', join(top, 'again.json'), '--cache', join(top, 'cache2')];
    expect(await runVerb(lock, elsewhere, { env })).toMatchObject({ code: 0 });
    expect(readFileSync(join(top, 'again.json'), 'utf8')).toBe(text);
  });

  it('does not go back behind the lock that is there, unless that is meant', { timeout: 300_000 }, async () => {
    const file = join(top, 'ahead.json');
    const ahead = readLock(locked);
    const artifacts = ahead.artifacts.map((one) => (one.component === 'runc' ? { ...one, version: '99.0' } : one));
    writeLock(file, { ...ahead, artifacts });
    const refused = await runVerb(lock, ['-f', manifest, '-o', file], { env });
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('image/downgrade') });
    expect(refused.stderr).toContain('runc would be downgraded from 99.0 to');
    expect(readLock(file).artifacts).toEqual(artifacts);
    expect(await runVerb(lock, ['-f', manifest, '-o', file, '--allow-downgrade'], { env })).toMatchObject({ code: 0 });
    expect(readFileSync(file, 'utf8')).toBe(readFileSync(locked, 'utf8'));
  });

  it('takes a newer patch version of Kubernetes into manifest and lock, and leaves the rest as it was', {
    timeout: 300_000,
  }, async () => {
    const [before, sha256] = [readFileSync(manifest, 'utf8'), publish('1.35.2')];
    const plan = await runVerb(update, ['-f', manifest, '--json'], { env });
    expect(JSON.parse(plan.stdout.trim().split('\n').at(-1)!)).toMatchObject({
      isWritten: false,
      proposals: [{ component: 'kubernetes', from: '1.35.1', to: '1.35.2' }],
    });
    expect(readFileSync(manifest, 'utf8')).toBe(before);
    const written = await runVerb(update, ['-f', manifest, '--write'], { env });
    expect(written, written.stderr).toMatchObject({ code: 0 });
    const after = readFileSync(manifest, 'utf8');
    expect(after).toContain('kubernetes: [1.35.1, 1.35.2] # what clusters run');
    expect(after).toContain('# of course');
    expect(readLock(locked).artifacts.filter(({ component }) => component === 'kubelet')).toMatchObject([
      { version: '1.35.1' },
      { version: '1.35.2', sha256 },
    ]);
  });
});
