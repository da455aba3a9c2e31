import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { baseSha256, contentSha256 } from './content-hash.ts';
import { aLock } from './lock.testing.ts';
import type { ImageLock } from './lock.ts';

const SHA = 'ab'.repeat(32);

describe('contentSha256 and baseSha256', () => {
  it('depend on the inputs of their image or base, not on other images, indices or the manifest', () => {
    const lock = aLock();
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

  it('do not depend on the order of artifacts', () => {
    const lock = aLock();
    fc.assert(
      fc.property(fc.shuffledSubarray([...lock.artifacts], { minLength: lock.artifacts.length }), (artifacts) => {
        expect(contentSha256({ ...lock, artifacts }, '1.35.8')).toBe(contentSha256(lock, '1.35.8'));
        expect(baseSha256({ ...lock, artifacts })).toBe(baseSha256(lock));
      }),
    );
  });
});

function edit(
  lock: ImageLock,
  change: (artifact: ImageLock['artifacts'][number]) => ImageLock['artifacts'][number],
): ImageLock {
  return { ...lock, artifacts: lock.artifacts.map(change) };
}
