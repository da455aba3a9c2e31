import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aLock, anyLock, KUBERNETES } from '../lock/lock.testing.ts';
import { sha256Of } from '../testing.ts';
import { officialSchema } from './cyclonedx.testing.ts';
import { makeSbom, type Sbom } from './sbom.ts';

const contentSha256 = sha256Of('content');
const isValid = officialSchema();
const sbomOf = (lock = aLock(), facts = {}) => makeSbom(lock, KUBERNETES, { contentSha256, ...facts });
const parsed = (text: string) => JSON.parse(text) as Sbom;
const named = (text: string, name: string) => parsed(text).components.filter((component) => component.name === name);

describe('makeSbom', () => {
  it('follows the official schema for any lock', () => {
    fc.assert(
      fc.property(anyLock, (lock) => {
        expect(isValid(parsed(sbomOf(lock))), JSON.stringify(isValid.errors)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('is checked by that schema: a component without a type is invalid', () => {
    const [first, ...rest] = parsed(sbomOf()).components;
    const { type: _, ...broken } = first!;
    expect(isValid({ ...parsed(sbomOf()), components: [broken, ...rest] })).toBe(false);
  });

  it('gives the same text for the same lock, and another serial number for other content', () => {
    expect(sbomOf()).toBe(sbomOf());
    expect(sbomOf()).not.toMatch(/timestamp/);
    const other = makeSbom(aLock(), KUBERNETES, { contentSha256: sha256Of('other') });
    expect(parsed(other).serialNumber).not.toBe(parsed(sbomOf()).serialNumber);
  });

  it('does not depend on the order of the lock', () => {
    const lock = aLock();
    expect(sbomOf({ ...lock, artifacts: lock.artifacts.toReversed() })).toBe(sbomOf(lock));
  });

  it('contains the components of one Kubernetes version only', () => {
    expect(named(sbomOf(), 'kubelet').map(({ version }) => version)).toEqual([KUBERNETES]);
    expect(parsed(sbomOf()).components).toHaveLength(6);
  });

  it.each([
    ['libssl3', 'pkg:deb/debian/libssl3@1:3.0.17-1~deb12u2?arch=amd64&distro=bookworm'],
    ['containerd', 'pkg:deb/debian/containerd@1.6.20~ds1-1%2Bdeb12u1?arch=amd64&distro=bookworm'],
    ['kubelet', `pkg:generic/kubelet@1.35.8?checksum=sha256:${sha256Of('binary kubelet 1.35.8')}`],
    ['pause', `pkg:oci/pause@sha256:${'a'.repeat(64)}?repository_url=registry.k8s.io/pause&tag=3.10`],
  ])('gives %s its standard package URL', (name, purl) => {
    const images = [{ component: 'pause', digest: `sha256:${'a'.repeat(64)}` }];
    expect(named(sbomOf(aLock(), { images }), name).map((component) => component.purl)).toEqual([purl]);
  });

  it('has no package URL for an image with an unknown digest', () => {
    expect(named(sbomOf(), 'pause')[0]).not.toHaveProperty('purl');
  });

  it('leaves out an unknown licence', () => {
    expect(named(sbomOf(), 'containerd')[0]).not.toHaveProperty('licenses');
    expect(named(sbomOf(), 'kubelet')[0]?.licenses?.[0]?.expression).toBe('Apache-2.0');
  });
});
