import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import type { Cache } from '../fetch/cache.ts';
import { imageVersionLabel } from '../publish/names.ts';
import { sha256Of } from '../testing.ts';
import { buildImages } from './build-images.ts';
import type { BuildRecord } from './contract.ts';
import type { Format } from './disk/disk.ts';
import { buildFolder } from './find-image.ts';
import { imageContent } from './image-content.ts';
import { aLock, anArtifact, SOME_TOOLS } from './locks.testing.ts';

const top = mkdtempSync(join(tmpdir(), 'headstart-builds-'));
afterAll(() => rmSync(top, { recursive: true }));

const lock = aLock([anArtifact('libc6', 'deb')]);
const [first, second] = lock.kubernetes as [string, string];
let count = 0;

/** Writes an image as a build leaves it. */
async function aBuild(out: string, kubernetes: string): Promise<string> {
  const folder = buildFolder({ lock, kubernetes }, out);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'disk.qcow2'), `the disk of ${kubernetes}`);
  const disk = { sha256: sha256Of(`the disk of ${kubernetes}`), bytes: `the disk of ${kubernetes}`.length };
  const record: BuildRecord = {
    ...{ apiVersion: 'headstart.dev/v1', kind: 'ImageBuild', name: lock.name, architecture: 'amd64', kubernetes },
    ...{ version: imageVersionLabel(kubernetes, lock.base), kernelRelease: '6.1', kernelArgs: 'rw', contentBytes: 1 },
    contentSha256: await imageContent({ lock, kubernetes }, SOME_TOOLS),
    base: { origin: lock.base.origin, date: lock.base.date, patch: lock.base.patch },
    ...{ root: 'PARTUUID=11223344-5566-8788-89aa-bbccddeeff00', diskBytes: 1, files: { 'disk.qcow2': disk } },
  };
  writeFileSync(join(folder, 'build.json'), JSON.stringify(record));
  return folder;
}

async function build(out: string, formats: readonly Format[] = ['qcow2'], tools = SOME_TOOLS) {
  const cache = { folder: join(top, `cache ${count}`) } as Partial<Cache> as Cache;
  const run = () => Promise.reject(new Error('something is made'));
  const order = { lock, versions: [first, second], out, formats, lanes: 2, isOffline: true };
  return buildImages(order, { cache, run, isRoot: true, tools }, {});
}

async function bothIn(name: string): Promise<{ out: string; folders: string[] }> {
  const out = join(top, `${name} ${++count}`);
  return { out, folders: [await aBuild(out, first), await aBuild(out, second)] };
}

describe('buildImages', () => {
  it('reuses images that are unchanged', async () => {
    const { out, folders } = await bothIn('same');
    const built = await build(out);
    expect(built.map(({ folder, isNew }) => [folder, isNew])).toEqual(folders.map((folder) => [folder, false]));
  });

  it('builds again if a byte changed, a format is missing, or tools differ', async () => {
    const changed = await bothIn('changed');
    writeFileSync(join(changed.folders[1]!, 'disk.qcow2'), 'another disk');
    await expect(build(changed.out)).rejects.toThrow('something is made');
    const { out } = await bothIn('formats');
    await expect(build(out, ['qcow2', 'vhd'])).rejects.toThrow('something is made');
    await expect(build(out, ['qcow2'], { ...SOME_TOOLS, mke2fs: '1.48' })).rejects.toThrow('something is made');
  });
});
