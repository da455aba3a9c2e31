import { describe, expect, it } from 'vitest';
import { imageContent } from './image-content.ts';
import { aLock, anArtifact, SOME_TOOLS } from './locks.testing.ts';

const kubelet = (kubernetes: string, sha256 = 'ab') =>
  anArtifact('kubelet', 'binary', { kubernetes, sha256: sha256.repeat(32), install: { to: '/usr/bin/kubelet' } });
const of = (...given: Parameters<typeof aLock>) =>
  imageContent({ lock: aLock(...given), kubernetes: '1.35.8' }, SOME_TOOLS);
const LIBC = anArtifact('libc6', 'deb');

describe('imageContent', () => {
  it('does not depend on other versions of the lock or on the manifest text', async () => {
    const content = await of([LIBC, kubelet('1.35.8')]);
    expect(await of([LIBC, kubelet('1.35.8'), kubelet('1.35.7', 'cd')])).toBe(content);
    expect(await of([kubelet('1.35.8'), LIBC], { manifestSha256: '12'.repeat(32), kubernetes: ['1.35.8'] })).toBe(
      content,
    );
  });

  it('changes with a package, program, file, day, patch or size', async () => {
    const artifacts = [LIBC, kubelet('1.35.8')];
    const base = { origin: 'debian:bookworm', date: '2026.1116', patch: 0, indices: [] };
    const file = { component: 'f', to: '/etc/f', mode: 0o644, sha256: '00'.repeat(32), content: 'f', licence: 'MIT' };
    const all = await Promise.all([
      of(artifacts),
      of([anArtifact('libc6', 'deb', { sha256: 'ef'.repeat(32) }), kubelet('1.35.8')]),
      of([LIBC, kubelet('1.35.8', 'ef')]),
      of(artifacts, { files: [file] }),
      of(artifacts, { base: { ...base, date: '2026.1117' } }),
      of(artifacts, { base: { ...base, patch: 1 } }),
      of(artifacts, { disk: { budgetMb: 2000, warnPercent: 75, sizeMb: 4096 } }),
    ]);
    expect(new Set(all).size).toBe(all.length);
  });

  it('changes with the tools, which make other bytes', async () => {
    const target = { lock: aLock([LIBC]), kubernetes: '1.35.8' };
    const all = await Promise.all(
      [SOME_TOOLS, { ...SOME_TOOLS, 'qemu-img': '9.0' }, { ...SOME_TOOLS, debugfs: '1.48' }].map((tools) =>
        imageContent(target, tools),
      ),
    );
    expect(new Set(all).size).toBe(3);
  });
});
