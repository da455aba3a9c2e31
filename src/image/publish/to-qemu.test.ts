import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { versionFolder } from '../../vms/qemu/home/layout.ts';
import { readVersionRecord } from '../../vms/qemu/home/version-records.ts';
import { type Lab, makeLab } from '../../vms/qemu/testing.ts';
import { openBuild, publishBuild } from './publish.ts';
import { writeBuild, writeTest } from './testing.ts';
import { qemuDestination } from './to-qemu.ts';

let lab: Lab;
beforeEach(() => {
  lab = makeLab();
});
afterEach(() => lab.end());

const ID = { gallery: 'headstart', definition: 'node-1.35.8', version: '2026.1116.0' };

describe('publishing to a gallery on this machine', () => {
  it('stores disk, kernel and kernel arguments', async () => {
    const { context, factory } = lab;
    const folder = join(context.home, 'build');
    const { contentSha256, root } = writeBuild(folder);
    writeTest(folder, contentSha256);
    const destination = qemuDestination({ ...context, gallery: factory.gallery, galleryName: 'headstart' });
    const published = await publishBuild(destination, await openBuild(folder), { isUntestedAllowed: false });
    expect(published).toMatchObject({ ...ID, isTested: true, isExcludedFromLatest: false, isNew: true });
    expect(readVersionRecord(context.home, ID)).toMatchObject({ root, cloudInit: 'off', kernelArgs: ['rw', 'quiet'] });
    expect(readFileSync(join(versionFolder(context.home, ID), 'vmlinux'), 'utf8')).toBe('vmlinux');
  });

  it('creates one version for two concurrent calls', async () => {
    const { context, factory } = lab;
    const folder = join(context.home, 'build');
    writeBuild(folder);
    const destination = qemuDestination({ ...context, gallery: factory.gallery, galleryName: 'headstart' });
    const publish = async () => publishBuild(destination, await openBuild(folder), { isUntestedAllowed: true });
    const both = await Promise.all([publish(), publish()]);
    expect(both.map(({ isExcludedFromLatest }) => isExcludedFromLatest)).toEqual([true, true]);
    const definition = (await factory.gallery.readDefinition('headstart', ID.definition))!;
    expect(await factory.gallery.listVersions(definition)).toHaveLength(1);
  });
});
