// cli/image/testing.ts: verbs that compare, repair and release images in a test: locks in a temporary folder, a gallery in memory.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { aDeb, aLock } from '../../image/lock/lock.testing.ts';
import type { ImageLock } from '../../image/lock/lock.ts';
import { writeLock } from '../../image/lock/read-lock.ts';
import { IMAGE_TAGS, imageDefinitionSpec } from '../../image/publish/names.ts';
import { writeBuild } from '../../image/publish/testing.ts';
import { type FakeFactory, fakeFactory } from '../../vms/fake/fake-factory.ts';
import type { OpenGallery } from '../compose/open-gallery.ts';
import { runVerb } from '../testing.ts';
import { imageList } from './list.ts';

export interface LockFolder {
  place(name: string): string;
  /** Writes a lock; its path. */
  lockFile(name: string, lock: ImageLock): string;
  before: string;
  /** The same with a newer containerd. */
  newer: string;
}

/** One folder for all tests of the file. */
export function useLocks(): LockFolder {
  const folder = mkdtempSync(join(tmpdir(), 'headstart-release-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const place = (name: string) => join(folder, name);
  const lockFile = (name: string, lock: ImageLock) => {
    writeLock(place(name), lock);
    return place(name);
  };
  const newer = replaced('containerd', aDeb('containerd', '1.6.20~ds1-1+deb12u2'));
  return { place, lockFile, before: lockFile('before.json', aLock()), newer: lockFile('newer.json', newer) };
}

export const replaced = (name: string, by: ImageLock['artifacts'][number]) =>
  aLock({ artifacts: [...aLock().artifacts.filter(({ component }) => component !== name), by] });

export interface Gallery {
  open: OpenGallery;
  factory: FakeFactory;
  /** Of a build in a folder of that name; ready, in the fake's words: two minutes old. */
  publish(version: string, isTested?: boolean): Promise<void>;
  list(): Promise<{ version: string; channels: string[] }[]>;
}

/** Each test of the file gets an empty one. */
export function useGallery(place: (name: string) => string): Gallery {
  const gallery: Gallery = {
    factory: fakeFactory(fakeClock()),
    open: async ({ gallery: name }) => ({
      ...{ kind: 'qemu', name, factory: gallery.factory },
      deps: { home: place(''), clock: fakeClock(), run: () => Promise.reject(new Error('nothing is run')) },
    }),
    async publish(version, isTested = true) {
      const named = { name: 'node', kubernetes: '1.35.8', architecture: 'amd64' };
      const definition = await gallery.factory.gallery.ensureDefinition(
        imageDefinitionSpec(named, 'headstart'),
        'local',
      );
      const id = `${definition.id}/versions/${version}`;
      const record = writeBuild(place(version), { contentSha256: '0'.repeat(63) + version.at(-1) });
      const content = record.contentSha256;
      gallery.factory.state.versions.set(id, {
        ...{ id, definition, name: version, snapshotId: '', region: 'local', replicas: 1, redundancy: 'local' },
        tags: {
          [IMAGE_TAGS.content]: content,
          [IMAGE_TAGS.disk]: record.files['disk.qcow2']!.sha256,
          ...(isTested && { [IMAGE_TAGS.tested]: content }),
        },
        ...{ isExcludedFromLatest: !isTested, createdMs: 0, isSealed: true },
      });
    },
    list: async () => JSON.parse((await runVerb(imageList(gallery.open), ['--json'])).stdout).images,
  };
  beforeEach(() => {
    gallery.factory = fakeFactory(fakeClock());
  });
  return gallery;
}
