import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { BUILD_FILES, build, writeBuild } from '../test/testing.ts';
import { readBuild, verifyBuild } from './build-folder.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-build-'));
  writeBuild(folder);
});
afterEach(() => rmSync(folder, { recursive: true }));

const rewrite = (changes: object) =>
  writeFileSync(join(folder, 'build.json'), JSON.stringify({ ...build, ...changes }));

describe('a build folder', () => {
  it('is read and verified', async () => {
    expect(await readBuild(folder)).toEqual(build);
    await verifyBuild(folder, build);
  });

  it.each(Object.keys(BUILD_FILES))('is reported as damaged if %s changed', async (name) => {
    writeFileSync(join(folder, name), 'x');
    const error = { code: 'image/build-damaged', message: expect.stringContaining(name) };
    await expect(verifyBuild(folder, build)).rejects.toMatchObject(error);
    rmSync(join(folder, name));
    await expect(verifyBuild(folder, build)).rejects.toMatchObject(error);
    await verifyBuild(folder, build, { only: Object.keys(BUILD_FILES).filter((other) => other !== name) });
  });

  it.each<[what: string, changes: object]>([
    ['a file outside the folder', { files: { '../x': { sha256: 'a'.repeat(64), bytes: 1 } } }],
    ['a hidden file', { files: { '.x': { sha256: 'a'.repeat(64), bytes: 1 } } }],
    ['kernel arguments of several lines', { kernelArgs: 'root=x\nrw' }],
    ['a root that is not a partition', { root: '/dev/sda1' }],
    ['a name that leaves the folder', { name: '../node' }],
    ['another kind', { kind: 'ImageLock' }],
    ['the version of another Kubernetes', { kubernetes: '1.34.1' }],
    ['the version of another base', { base: { ...build.base, patch: 7 } }],
  ])('is refused with %s', async (_what, changes) => {
    rewrite(changes);
    await expect(readBuild(folder)).rejects.toMatchObject({ code: 'image/no-build', exitCode: 2 });
  });

  it('is refused if its record is missing, a link, or not JSON', async () => {
    writeFileSync(join(folder, 'build.json'), '{');
    await expect(readBuild(folder)).rejects.toMatchObject({ code: 'image/no-build' });
    rmSync(join(folder, 'build.json'));
    await expect(readBuild(folder)).rejects.toMatchObject({ code: 'image/no-build' });
    symlinkSync('lock.json', join(folder, 'build.json'));
    await expect(readBuild(folder)).rejects.toMatchObject({ code: 'image/no-build' });
  });
});
