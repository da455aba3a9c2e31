import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { RunCommand } from '../../../base/command.ts';
import type { Artifact, ImageLock } from '../../lock/lock.ts';
import { SOME_TOOLS } from '../locks.testing.ts';
import { containerImageFiles, isPause } from './container-images.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-container-images-'));
afterAll(() => rmSync(folder, { recursive: true }));

const artifact = (component: string, kind: Artifact['kind'], more: Partial<Artifact> = {}): Artifact => ({
  ...{ component, kind, version: '1', origin: 'local:test', path: `${component}.bin` },
  ...{ sha256: component, bytes: 1, licence: 'MIT', ...more },
});
const PAUSE = artifact('pause', 'oci-image', { install: { to: 'registry.k8s.io/pause:3.10' } });

async function files(artifacts: Artifact[], run: RunCommand): Promise<unknown> {
  const lock = { artifacts } as unknown as ImageLock;
  const cache = {
    folder,
    fill: () => Promise.reject(new Error('nothing is fetched')),
    add: () => Promise.reject(new Error('nothing is added')),
    open: ({ sha256 }: { sha256: string }) => Promise.resolve(join(folder, sha256)),
  };
  return containerImageFiles({ lock, kubernetes: '1.35.8' }, 0, {
    cache,
    run,
    isRoot: true,
    tools: SOME_TOOLS,
    folder,
  });
}

const runs: string[][] = [];
const emptyPackage: RunCommand = (argv) => {
  runs.push([...argv]);
  return Promise.resolve({ outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '' });
};
const nothing: RunCommand = () => Promise.reject(new Error('nothing is run'));

test('a lock without container images needs no containerd', async () => {
  expect(await files([artifact('containerd', 'deb')], nothing)).toEqual([]);
});

test('container images of another patch version are left out', async () => {
  expect(await files([{ ...PAUSE, kubernetes: '1.34.1' }], nothing)).toEqual([]);
});

test('a lock with container images needs containerd', async () => {
  await expect(files([PAUSE, artifact('containerd', 'binary')], nothing)).rejects.toMatchObject({
    code: 'image/no-containerd',
  });
});

test.each([
  ['deb', 'dpkg-deb'],
  ['archive', 'tar'],
] as const)('a %s is unpacked with %s, and has to hold both programs', async (kind, program) => {
  runs.length = 0;
  await expect(files([PAUSE, artifact('containerd', kind)], emptyPackage)).rejects.toMatchObject({
    code: 'image/no-containerd',
    message: expect.stringContaining('containerd.bin'),
  });
  expect(runs[0]).toContain(program);
});

test('isPause matches only the pause image', () => {
  const names = ['registry.k8s.io/pause:3.10', 'a.example/b/pause:1', 'a.example/pause/b:1', 'a.example/no-pause:1'];
  expect(names.map(isPause)).toEqual([true, true, false, false]);
});
