import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aDeb, aLock, anyLock, KUBERNETES } from '../lock/lock.testing.ts';
import { sha256Of } from '../testing.ts';
import { officialSchema } from './cyclonedx.testing.ts';
import { listImages, renderImageList } from './image-list.ts';
import { makeSbom, type Sbom } from './sbom.ts';
import { checkSbom, pathsIn } from './sbom-check.ts';

const contentSha256 = sha256Of('content');
const isValid = officialSchema();
const sbomOf = (lock = aLock(), facts = {}) => makeSbom(lock, KUBERNETES, { contentSha256, ...facts });
const parsed = (text: string) => JSON.parse(text) as Sbom;
const named = (text: string, name: string) => parsed(text).components.filter((component) => component.name === name);

describe('the SBOM', () => {
  it('is what the official schema asks for, whatever the lock', () => {
    fc.assert(
      fc.property(anyLock, (lock) => {
        expect(isValid(parsed(sbomOf(lock))), JSON.stringify(isValid.errors)).toBe(true);
      }),
      { numRuns: 20 },
    );
  });

  it('is held to that schema: a component without a type would be found', () => {
    const [first, ...rest] = parsed(sbomOf()).components;
    const { type: _, ...broken } = first!;
    expect(isValid({ ...parsed(sbomOf()), components: [broken, ...rest] })).toBe(false);
  });

  it('is the same text for the same lock, and another document for other content', () => {
    expect(sbomOf()).toBe(sbomOf());
    expect(sbomOf()).not.toMatch(/timestamp/);
    const other = makeSbom(aLock(), KUBERNETES, { contentSha256: sha256Of('other') });
    expect(parsed(other).serialNumber).not.toBe(parsed(sbomOf()).serialNumber);
  });

  it('does not depend on the order of the lock', () => {
    const lock = aLock();
    expect(sbomOf({ ...lock, artifacts: lock.artifacts.toReversed() })).toBe(sbomOf(lock));
  });

  it('holds what is in the image of that Kubernetes version, and nothing of another one', () => {
    expect(named(sbomOf(), 'kubelet').map(({ version }) => version)).toEqual([KUBERNETES]);
    expect(parsed(sbomOf()).components).toHaveLength(6);
  });

  it.each([
    ['libssl3', 'pkg:deb/debian/libssl3@1:3.0.17-1~deb12u2?arch=amd64&distro=bookworm'],
    ['containerd', 'pkg:deb/debian/containerd@1.6.20~ds1-1%2Bdeb12u1?arch=amd64&distro=bookworm'],
    ['kubelet', `pkg:generic/kubelet@1.35.8?checksum=sha256:${sha256Of('binary kubelet 1.35.8')}`],
    ['pause', `pkg:oci/pause@sha256:${'a'.repeat(64)}?repository_url=registry.k8s.io/pause&tag=3.10`],
  ])('names %s as the rest of the world does', (name, purl) => {
    const images = [{ component: 'pause', digest: `sha256:${'a'.repeat(64)}` }];
    expect(named(sbomOf(aLock(), { images }), name).map((component) => component.purl)).toEqual([purl]);
  });

  it('has no package URL for an image whose digest nobody has read', () => {
    expect(named(sbomOf(), 'pause')[0]).not.toHaveProperty('purl');
  });

  it('leaves out a licence that nobody asserts', () => {
    expect(named(sbomOf(), 'containerd')[0]).not.toHaveProperty('licenses');
    expect(named(sbomOf(), 'kubelet')[0]?.licenses?.[0]?.expression).toBe('Apache-2.0');
  });
});

describe('the list of container images', () => {
  it('has name, digest and size of each', () => {
    const images = listImages(aLock(), KUBERNETES, { pause: `sha256:${'b'.repeat(64)}` });
    expect(images).toEqual([
      { component: 'pause', name: 'registry.k8s.io/pause:3.10', digest: `sha256:${'b'.repeat(64)}`, bytes: 1004 },
    ]);
    expect(JSON.parse(renderImageList(images))).toMatchObject({ kind: 'ContainerImages', images });
  });
});

describe('the check of an SBOM against an image', () => {
  const status = [
    stanza('containerd', '1.6.20~ds1-1+deb12u1'),
    stanza('libssl3', '1:3.0.17-1~deb12u2'),
    stanza('gone', '1.0', 'deinstall ok config-files'),
  ];
  const files = new Map([
    ['/usr/bin/kubelet', sha256Of('binary kubelet 1.35.8')],
    ['/etc/sysctl.d/90-node.conf', sha256Of('net.ipv4.ip_forward = 1\n')],
  ]);
  const check = (more: string[] = [], seen = files) =>
    checkSbom(sbomOf(), { dpkgStatus: [...status, ...more].join('\n'), files: seen });

  it('finds nothing where both say the same', () => {
    expect(check()).toEqual([]);
    expect(pathsIn(sbomOf())).toEqual([...files.keys()].sort());
  });

  it('finds a package that nobody listed, and one of another version', () => {
    expect(check([stanza('stowaway', '6.6')])).toEqual([{ what: 'package stowaway', seen: '6.6 amd64' }]);
    expect(check([stanza('libssl3', '1:3.0.18-1')])).toEqual([
      { what: 'package libssl3', said: '1:3.0.17-1~deb12u2 amd64', seen: '1:3.0.18-1 amd64' },
    ]);
  });

  it('finds a package that is missing', () => {
    const lock = aLock({ artifacts: [...aLock().artifacts, aDeb('runc', '1.1.5')] });
    const differences = checkSbom(sbomOf(lock), { dpkgStatus: status.join('\n'), files });
    expect(differences).toEqual([{ what: 'package runc', said: '1.1.5 amd64' }]);
  });

  it('finds a file with another byte in it, and one that is missing', () => {
    const other = new Map([['/usr/bin/kubelet', sha256Of('something else')]]);
    expect(check([], other).map(({ what }) => what)).toEqual([
      'file /etc/sysctl.d/90-node.conf',
      'file /usr/bin/kubelet',
    ]);
  });
});

function stanza(name: string, version: string, state = 'install ok installed'): string {
  return `Package: ${name}\nStatus: ${state}\nArchitecture: amd64\nVersion: ${version}\nDescription: x\n more\n`;
}
