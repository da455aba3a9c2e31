// image/lock/lock.testing.ts: locks for tests: a typical one, and arbitrary ones for property tests.
import fc from 'fast-check';
import { sha256Of } from '../testing.ts';
import type { Artifact, ImageLock, LockedFile } from './lock.ts';

export const KUBERNETES = '1.35.8';

export function aLock(changes: Partial<ImageLock> = {}): ImageLock {
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'ImageLock',
    name: 'node',
    architecture: 'amd64',
    manifestSha256: sha256Of('manifest'),
    base: {
      origin: 'debian:bookworm',
      date: '2026.1116',
      patch: 0,
      indices: [{ suite: 'bookworm', date: '2026-11-16', sha256: sha256Of('bookworm') }],
    },
    kubernetes: [KUBERNETES, '1.35.9'],
    artifacts: [
      aDeb('containerd', '1.6.20~ds1-1+deb12u1'),
      aDeb('libssl3', '1:3.0.17-1~deb12u2', { path: 'pool/main/o/openssl/libssl3_3.0.17-1~deb12u2_amd64.deb' }),
      aBinary('kubelet', KUBERNETES, { kubernetes: KUBERNETES }),
      aBinary('kubelet', '1.35.9', { kubernetes: '1.35.9' }),
      anArtifact('oci-image', 'pause', '3.10', { install: { to: 'registry.k8s.io/pause:3.10' } }),
      anArtifact('archive', 'cni-plugins', '1.7.1', { install: { to: '/opt/cni/bin', only: ['bridge'] } }),
    ],
    files: [aFile('sysctl', '/etc/sysctl.d/90-node.conf', 'net.ipv4.ip_forward = 1\n')],
    disk: { budgetMb: 2048, warnPercent: 75, sizeMb: 4096 },
    ...changes,
  };
}

export function anArtifact(
  kind: Artifact['kind'],
  component: string,
  version: string,
  more: Partial<Artifact> = {},
): Artifact {
  return {
    component,
    kind,
    version,
    origin: 'upstream:test',
    path: `${component}/${version}`,
    sha256: sha256Of(`${kind} ${component} ${version}`),
    bytes: 1000 + version.length,
    licence: 'Apache-2.0',
    ...more,
  };
}

export function aDeb(name: string, version: string, more: Partial<Artifact> = {}): Artifact {
  const file = `${name}_${version.replace(/^\d+:/, '')}_amd64.deb`;
  const path = `pool/main/${name[0]}/${name}/${file}`;
  return anArtifact('deb', name, version, {
    origin: 'debian:bookworm',
    path,
    licence: 'NOASSERTION',
    isAsked: true,
    ...more,
  });
}

export function aBinary(name: string, version: string, more: Partial<Artifact> = {}): Artifact {
  return anArtifact('binary', name, version, { install: { to: `/usr/bin/${name}` }, ...more });
}

export function aFile(component: string, to: string, content: string): LockedFile {
  return { component, to, mode: 0o644, sha256: sha256Of(content), content, licence: 'Apache-2.0' };
}

/** The same components in arbitrary versions, with some missing, so that diffs are not empty. */
export const anyLock: fc.Arbitrary<ImageLock> = fc
  .record({
    debs: versionsOf(['containerd', 'libssl3', 'zlib1g']),
    binaries: versionsOf(['kubelet', 'runc']),
    images: versionsOf(['pause']),
    files: fc.dictionary(fc.constantFrom('sysctl', 'modules'), fc.string({ maxLength: 4 })),
  })
  .map(({ debs, binaries, images, files }) =>
    aLock({
      artifacts: [
        ...Object.entries(debs).map(([name, version]) => aDeb(name, version)),
        ...Object.entries(binaries).map(([name, version]) => aBinary(name, version)),
        ...Object.entries(images).map(([name, version]) => anArtifact('oci-image', name, version)),
      ],
      files: Object.entries(files).map(([name, content]) => aFile(name, `/etc/${name}.conf`, content)),
    }),
  );

function versionsOf(names: string[]): fc.Arbitrary<Record<string, string>> {
  return fc.dictionary(fc.constantFrom(...names), fc.constantFrom('1.0', '1.0.1', '1.9', '1.10', '2.0'));
}
