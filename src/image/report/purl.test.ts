import { describe, expect, it } from 'vitest';
import { aBinary, aDeb, anArtifact } from '../lock/lock.testing.ts';
import { sha256Of } from '../testing.ts';
import { purlOf, sourcePackage } from './purl.ts';

const DIGEST = `sha256:${'a'.repeat(64)}`;
const imageAs = (to: string) => purlOf(anArtifact('oci-image', 'pause', '3.10', { install: { to } }), DIGEST);

describe('purlOf', () => {
  it.each([
    ['debian:bookworm', 'distro=bookworm'],
    ['debian:bookworm-security', 'distro=bookworm'],
    ['debian:bookworm-updates', 'distro=bookworm'],
    ['debian:bullseye/updates', 'distro=bullseye'],
  ])('contains the release, not the suite, of a package from %s', (origin, distro) => {
    expect(purlOf(aDeb('libc6', '2.36-9', { origin }))).toBe(`pkg:deb/debian/libc6@2.36-9?arch=amd64&${distro}`);
  });

  it('contains the architecture of a package only if its file name has one', () => {
    expect(purlOf(aDeb('libc6', '2.36-9', { path: 'libc6.deb', origin: 'debian' }))).toBe(
      'pkg:deb/debian/libc6@2.36-9',
    );
  });

  it('contains the checksum and the encoded version of a program or an archive', () => {
    const sha256 = sha256Of('binary runc 1.1+x');
    expect(purlOf(aBinary('runc', '1.1+x'))).toBe(`pkg:generic/runc@1.1%2Bx?checksum=sha256:${sha256}`);
  });

  it.each([
    ['registry.k8s.io/pause:3.10', 'repository_url=registry.k8s.io/pause&tag=3.10'],
    ['localhost:5000/a/pause:3.10', 'repository_url=localhost:5000/a/pause&tag=3.10'],
    ['localhost:5000/a/pause', 'repository_url=localhost:5000/a/pause'],
    [`registry.k8s.io/pause@${DIGEST}`, 'repository_url=registry.k8s.io/pause'],
  ])('contains the digest of the image %s', (name, qualifiers) => {
    expect(imageAs(name)).toBe(`pkg:oci/pause@${DIGEST}?${qualifiers}`);
  });

  it('is undefined for an image with an unknown digest', () => {
    expect(purlOf(anArtifact('oci-image', 'pause', '3.10'))).toBeUndefined();
  });
});

describe('sourcePackage', () => {
  it.each([
    ['pool/main/o/openssl/libssl3_3.0.17_amd64.deb', 'openssl'],
    ['debian/pool/main/libx/libxml2/libxml2_2.9_amd64.deb', 'libxml2'],
    ['libssl3_3.0.17_amd64.deb', 'libssl3'],
    ['pool/libssl3.deb', 'libssl3'],
  ])('of %s is %s', (path, expected) => expect(sourcePackage({ component: 'libssl3', path })).toBe(expected));
});
