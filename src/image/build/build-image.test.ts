import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../base/command.ts';
import type { Cache } from '../fetch/cache.ts';
import { imageVersionLabel } from '../publish/names.ts';
import { readTest, writeTest } from '../test/record.ts';
import { type BootTest, withBoot } from '../test/verdict.ts';
import { sha256Of } from '../testing.ts';
import { buildOneImage } from './build-image.ts';
import type { BuildRecord, StageOutputs } from './contract.ts';
import { diskName, type Format } from './disk/disk.ts';
import { aLock, anArtifact, SOME_TOOLS } from './locks.testing.ts';
import type { VersionContext, VersionStage } from './stage.ts';

let out: string;
beforeEach(() => {
  out = mkdtempSync(join(tmpdir(), 'headstart-image-'));
});
afterEach(() => rmSync(out, { recursive: true }));

const lock = aLock([anArtifact('libc6', 'deb')], { disk: { budgetMb: 1, warnPercent: 75, sizeMb: 1 } });
const target = { lock, kubernetes: '1.35.8' };
const FOLDER = 'node-1.35.8-2026.1116.0';

const run: RunCommand = async (argv) => {
  if (argv.includes('rm')) rmSync(argv.at(-1)!, { recursive: true, force: true });
  return { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '' };
};
const deps = { cache: {} as Cache, run, isRoot: true, tools: SOME_TOOLS };

/** A single stage that writes a small file for each disk, and their record. */
const stageWriting = (content: string): VersionStage => ({
  ...{ id: 'all', title: 'make all', needs: [], gives: ['record', 'content'], key: () => '', isAvailable: () => false },
  async make({ target: { kubernetes }, contentSha256, formats, files }: VersionContext) {
    const names = formats.map(diskName);
    for (const name of names) writeFileSync(join(files, name), content);
    const record: BuildRecord = {
      ...{ apiVersion: 'headstart.dev/v1', kind: 'ImageBuild', name: lock.name, architecture: 'amd64', kubernetes },
      ...{ version: imageVersionLabel(kubernetes, lock.base), kernelRelease: '6.1', kernelArgs: 'rw', contentBytes: 1 },
      base: { origin: lock.base.origin, date: lock.base.date, patch: lock.base.patch },
      ...{ contentSha256, root: 'PARTUUID=11223344-5566-8788-89aa-bbccddeeff00', diskBytes: 1 },
      files: Object.fromEntries(names.map((name) => [name, { sha256: sha256Of(content), bytes: content.length }])),
    };
    writeFileSync(join(files, 'build.json'), JSON.stringify(record));
    return {
      record,
      content: { warnings: ['nearly full'] } as Partial<StageOutputs['content']> as StageOutputs['content'],
    };
  },
});

const build = (formats: readonly Format[], stage = stageWriting('bytes'), more = target) =>
  buildOneImage(more, {}, { out, formats, stages: [stage] }, deps, {});

describe('buildOneImage', () => {
  it('writes only the image folder and returns it as new, with warnings', async () => {
    const begun: string[] = [];
    const order = { out, formats: ['qcow2'], stages: [stageWriting('bytes')] } as const;
    const reporter = { onBegin: (kubernetes: string) => begun.push(kubernetes) };
    const built = await buildOneImage(target, {}, order, deps, reporter);
    expect(built).toMatchObject({ folder: join(out, FOLDER), isNew: true, warnings: ['nearly full'] });
    expect(readdirSync(out)).toEqual([FOLDER]);
    expect(readdirSync(join(out, FOLDER)).sort()).toEqual(['build.json', 'disk.qcow2']);
    expect(begun).toEqual(['1.35.8']);
  });

  it('keeps existing formats when others are added', async () => {
    await build(['qcow2']);
    const { record } = await build(['raw']);
    expect(Object.keys(record.files)).toEqual(['disk.raw', 'disk.qcow2']);
  });

  it('drops formats of other content', async () => {
    await build(['qcow2']);
    const other = { ...lock, artifacts: [anArtifact('libc6', 'deb', { sha256: 'cd'.repeat(32) })] };
    const { record } = await build(['raw'], stageWriting('other'), { ...target, lock: other });
    expect(Object.keys(record.files)).toEqual(['disk.raw']);
  });

  it('keeps the test result of the same bytes only', async () => {
    const { record, folder } = await build(['qcow2']);
    const files = { 'disk.qcow2': record.files['disk.qcow2']!.sha256 };
    const boot: BootTest = { way: 'kernel', files, isPassed: true, checks: [], phases: [], budget: [] };
    writeTest(folder, withBoot(undefined, record, boot));
    await build(['raw']);
    expect(await readTest(folder)).toMatchObject({ isPassed: true });
    await build(['raw'], stageWriting('other bytes'));
    expect(await readTest(folder)).toBeUndefined();
  });

  it('leaves the old image and no temporary files if a stage fails', async () => {
    await build(['qcow2']);
    const bad = { ...stageWriting(''), make: () => Promise.reject(new Error('no')) };
    await expect(build(['raw'], bad)).rejects.toThrow('no');
    expect(readdirSync(out)).toEqual([FOLDER]);
    expect(readFileSync(join(out, FOLDER, 'disk.qcow2'), 'utf8')).toBe('bytes');
  });

  it('refuses to start without free space for the disks', async () => {
    const huge = { ...lock, disk: { budgetMb: 2 ** 40, warnPercent: 75, sizeMb: 2 ** 40 } };
    await expect(build(['qcow2'], stageWriting(''), { ...target, lock: huge })).rejects.toMatchObject({
      code: 'image/no-space',
      next: expect.stringContaining('--out'),
    });
    expect(existsSync(join(out, FOLDER))).toBe(false);
  });
});
