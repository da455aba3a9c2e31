// image/build/locks.testing.ts: a small lock and its artifacts, for tests.
import type { Artifact, ImageLock } from '../lock/lock.ts';
import type { ToolVersions } from './tool-versions.ts';

export const SOME_TOOLS: ToolVersions = {
  mmdebstrap: '1.3.5',
  mke2fs: '1.47.0',
  debugfs: '1.47.0',
  'qemu-img': '7.2.22',
};

export function anArtifact(component: string, kind: Artifact['kind'], more: Partial<Artifact> = {}): Artifact {
  return {
    ...{ component, kind, version: '1.0', origin: 'local:test', path: `${component}.bin` },
    ...{
      sha256: Buffer.from(component).toString('hex').padEnd(64, '0').slice(0, 64),
      bytes: 1,
      licence: 'MIT',
      ...more,
    },
  };
}

export function aLock(artifacts: readonly Artifact[], more: Partial<ImageLock> = {}): ImageLock {
  return {
    apiVersion: 'headstart.dev/v1',
    kind: 'ImageLock',
    name: 'node',
    architecture: 'amd64',
    manifestSha256: '00'.repeat(32),
    base: { origin: 'debian:bookworm', date: '2026.1116', patch: 0, indices: [] },
    kubernetes: ['1.35.8', '1.35.7'],
    artifacts,
    files: [],
    disk: { budgetMb: 2000, warnPercent: 75, sizeMb: 2048 },
    ...more,
  };
}
