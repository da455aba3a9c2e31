import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Definition } from '../../gallery.ts';
import type { Instance, PoolRef } from '../../pools.ts';
import type { DiskCopy, QemuContext } from '../context.ts';
import { versionFileNames, versionFolder } from '../home/layout.ts';
import { verifyVersion } from '../home/version-records.ts';
import { providerIn } from '../qemu-provider.ts';
import { emptyDefinition, type Lab, makeLab, poolSpec, publishEmpty } from '../testing.ts';
import { type PublishFiles, type PublishSpec, publishVersion } from './make-version.ts';

let lab: Lab;
let pool: PoolRef;
let donor: Instance;
let definition: Definition;
beforeEach(async () => {
  lab = makeLab();
  const { provider } = lab;
  pool = (await provider.pools.createPool(poolSpec(await publishEmpty(lab)))).ref;
  donor = (await provider.pools.setCapacity(pool, 1))[0]!;
  await provider.pools.stop(donor.ref);
  const { disk } = await provider.guests.readDetails(donor.ref);
  writeFileSync(disk, `${readFileSync(disk, 'utf8')} + what the donor wrote`);
  const traits = { osState: 'generalized', generation: 'V2', architecture: 'x64', securityType: 'Standard' } as const;
  const identity = { publisher: 'p', offer: 'o', sku: 's' };
  definition = await provider.gallery.ensureDefinition({ gallery: 'g', name: 'd', ...traits, ...identity }, 'local');
});
afterEach(() => lab.end());

const id = { gallery: 'g', definition: 'd', version: '2026.11.15' };
const placeOf = (file: keyof typeof versionFileNames) =>
  join(versionFolder(lab.context.home, id), versionFileNames[file]);
const filesIn = () => readdirSync(join(lab.context.home, 'galleries/g/d')).sort();

async function makeVersion(changes: Partial<QemuContext> = {}): Promise<void> {
  const provider = providerIn({ ...lab.context, ...changes });
  await provider.snapshots.createSnapshot({ name: 'snap', sourceDiskId: donor.osDisk!.id, region: 'local', tags: {} });
  const terms = { replicas: 1, redundancy: 'local', isExcludedFromLatest: true, tags: {} } as const;
  await provider.gallery.beginVersion({
    definition,
    name: id.version,
    snapshotId: 'snapshots/snap',
    region: 'local',
    ...terms,
  });
}

describe('beginVersion', () => {
  it("flattens the donor's disk and its backing version into one file, with the same kernel", async () => {
    await makeVersion();
    expect(readFileSync(placeOf('disk'), 'utf8')).toBe('disk 1.0.0 + what the donor wrote');
    expect(readFileSync(placeOf('vmlinux'), 'utf8')).toBe('vmlinux 1.0.0');
    await verifyVersion(lab.context.home, id);
    expect(filesIn()).toEqual(['2026.11.15', 'definition.json']);
  });

  it('makes a version that does not depend on the snapshot, the donor or the version below', async () => {
    await makeVersion();
    const { provider } = lab;
    const image = { kind: 'version', id: `${definition.id}/2026.11.15` } as const;
    const change = { image, bootstrap: 'none' as const, extensions: { keep: [], add: [] }, tags: {} };
    await provider.publisher.changeModel((await provider.pools.readPool(pool))!, change);
    await provider.snapshots.deleteSnapshot('snap');
    await provider.pools.deleteInstance(donor.ref);
    const [base] = (await provider.gallery.listDefinitions('headstart'))!;
    await provider.gallery.deleteVersion(base!, '1.0.0');
    const [clone] = await provider.pools.setCapacity(pool, 1);
    expect(clone?.image).toEqual(image);
  });

  it('scrubs the copy and publishes the result', async () => {
    const scrub = async ({ disk, vmlinux, workFolder }: DiskCopy) => {
      expect(existsSync(workFolder) && existsSync(vmlinux)).toBe(true);
      writeFileSync(disk, readFileSync(disk, 'utf8').replace('what the donor wrote', 'nothing'));
    };
    await makeVersion({ scrub });
    expect(readFileSync(placeOf('disk'), 'utf8')).toBe('disk 1.0.0 + nothing');
    expect(readdirSync(versionFolder(lab.context.home, id)).sort()).toEqual(Object.values(versionFileNames).sort());
    expect(readFileSync((await lab.provider.guests.readDetails(donor.ref)).disk, 'utf8')).toContain(
      'what the donor wrote',
    );
  });

  it('publishes nothing when the scrub fails, and succeeds when repeated', async () => {
    const scrub = () => Promise.reject(new Error('not scrubbed'));
    await expect(makeVersion({ scrub })).rejects.toThrow('not scrubbed');
    expect(filesIn()).toEqual(['definition.json']);
    await makeVersion();
    expect(await lab.provider.gallery.listVersions(definition)).toMatchObject([{ name: '2026.11.15', state: 'ready' }]);
  });

  it('leaves nothing when aborted', async () => {
    const stop = new AbortController();
    const provider = providerIn({ ...lab.context, scrub: async () => stop.abort(new Error('enough')) });
    await provider.snapshots.createSnapshot({
      name: 'snap',
      sourceDiskId: donor.osDisk!.id,
      region: 'local',
      tags: {},
    });
    const terms = { replicas: 1, redundancy: 'local', isExcludedFromLatest: true, tags: {} } as const;
    const order = { definition, name: id.version, snapshotId: 'snapshots/snap', region: 'local', ...terms };
    await expect(provider.gallery.beginVersion(order, { signal: stop.signal })).rejects.toThrow('enough');
    expect(filesIn()).toEqual(['definition.json']);
  });

  it('reports the needed space when the disk is too small, and writes nothing', async () => {
    await makeSnapshot();
    await expect(makeVersion({ freeBytes: async () => 300 << 20 })).resolves.toBeUndefined();
    await lab.provider.gallery.deleteVersion(definition, id.version);
    await expect(makeVersion({ freeBytes: async () => 1000 })).rejects.toMatchObject({
      code: 'vms/no-space',
      kept: 'Nothing was written.',
    });
    expect(filesIn()).toEqual(['definition.json']);
  });

  it('records that its instances boot without cloud-init', async () => {
    await makeVersion({ cloudInit: 'off' });
    const image = { kind: 'version', id: `${definition.id}/2026.11.15` } as const;
    await lab.provider.pools.createPool(poolSpec(image.id, { name: 'quick' }));
    await lab.provider.pools.setCapacity({ id: 'pools/quick', name: 'quick' }, 1);
    const { argv } = lab.machines.launched.at(-1)!;
    expect(argv[argv.indexOf('-append') + 1]).toContain('cloud-init=disabled systemd.hostname=quick-000001');
  });

  it('makes one version when several commands begin it at the same time', async () => {
    await makeSnapshot();
    const terms = { replicas: 1, redundancy: 'local', isExcludedFromLatest: true, tags: {} } as const;
    const order = { definition, name: id.version, snapshotId: 'snapshots/snap', region: 'local', ...terms };
    await Promise.all([1, 2, 3].map(() => lab.provider.gallery.beginVersion(order)));
    expect(
      lab.ran.filter((argv) => argv.includes('compression_type=zstd') && argv.at(-2)?.includes('snap')),
    ).toHaveLength(1);
    expect(filesIn()).toEqual(['2026.11.15', 'definition.json']);
  });

  it('requires a snapshot and a definition', async () => {
    const terms = { replicas: 1, redundancy: 'local', isExcludedFromLatest: true, tags: {} } as const;
    const order = { definition, name: id.version, region: 'local', ...terms };
    for (const snapshotId of ['snapshots/none', '../../etc', 'snapshots/../x'])
      await expect(lab.provider.gallery.beginVersion({ ...order, snapshotId })).rejects.toMatchObject({
        code: 'vms/not-found',
      });
  });

  async function makeSnapshot(): Promise<void> {
    await lab.provider.snapshots.createSnapshot({
      name: 'snap',
      sourceDiskId: donor.osDisk!.id,
      region: 'local',
      tags: {},
    });
  }
});

describe('a version in use', () => {
  it('by a snapshot, an instance or a model is not deleted', async () => {
    const [base] = (await lab.provider.gallery.listDefinitions('headstart'))!;
    const remove = () => lab.provider.gallery.deleteVersion(base!, '1.0.0');
    await expect(remove()).rejects.toThrow('instance web-000001');
    await makeVersion();
    await lab.provider.pools.deletePool(pool);
    await expect(remove()).rejects.toThrow('snapshot snap');
    await lab.provider.snapshots.deleteSnapshot('snap');
    const { ref } = await lab.provider.pools.createPool(poolSpec(`${base!.id}/1.0.0`));
    await expect(remove()).rejects.toThrow('the model of pool web');
    await lab.provider.pools.deletePool(ref);
    await lab.provider.pools.createPool(poolSpec('', { image: { kind: 'definition', id: base!.id } }));
    await expect(remove()).rejects.toThrow('the model of pool web');
  });
});

describe('snapshots', () => {
  it("are refused for a running instance, and under the name of another disk's snapshot", async () => {
    await lab.provider.pools.start(donor.ref);
    const spec = { name: 'snap', sourceDiskId: donor.osDisk!.id, region: 'local', tags: {} };
    await expect(lab.provider.snapshots.createSnapshot(spec)).rejects.toMatchObject({ code: 'vms/not-stopped' });
    await lab.provider.pools.stop(donor.ref);
    await lab.provider.snapshots.createSnapshot(spec);
    const [other] = await lab.provider.pools.setCapacity(pool, 2);
    await lab.provider.pools.stop(other!.ref);
    const second = lab.provider.snapshots.createSnapshot({ ...spec, sourceDiskId: other!.osDisk!.id });
    await expect(second).rejects.toMatchObject({ code: 'vms/snapshot-differs' });
  });

  it('do not contain what the donor writes later', async () => {
    await lab.provider.snapshots.createSnapshot({
      name: 'snap',
      sourceDiskId: donor.osDisk!.id,
      region: 'local',
      tags: {},
    });
    const { disk } = await lab.provider.guests.readDetails(donor.ref);
    writeFileSync(disk, `${readFileSync(disk, 'utf8')} and later`);
    await makeVersion();
    expect(readFileSync(placeOf('disk'), 'utf8')).not.toContain('later');
  });
});

describe('publishVersion', () => {
  const ROOT = 'PARTUUID=11223344-5566-8788-89aa-bbccddeeff00';
  const disk = () => {
    const path = join(lab.context.home, 'own-disk');
    writeFileSync(path, 'own');
    return path;
  };
  const publish = (spec: Partial<PublishSpec>, files: Partial<PublishFiles> = {}) =>
    publishVersion(
      lab.context,
      { definition: emptyDefinition, name: '2.0.0', tags: {}, ...spec },
      { disk: disk(), ...files },
    );

  it('records how the version boots, also in snapshots of its instances', async () => {
    const [vmlinux, initrd] = [join(lab.context.home, 'vmlinux-1.0.0'), join(lab.context.home, 'initrd-1.0.0')];
    const image = await publish(
      { root: ROOT, kernelArgs: ['panic=10'], cloudInit: 'off' },
      { kernel: { vmlinux, initrd } },
    );
    const { ref } = await lab.provider.pools.createPool(poolSpec(image, { name: 'parted' }));
    const [one] = await lab.provider.pools.setCapacity(ref, 1);
    const started = () => {
      const { argv } = lab.machines.launched.at(-1)!;
      return argv[argv.indexOf('-append') + 1];
    };
    expect(started()).toMatch(new RegExp(`^root=${ROOT} rw panic=10 .*hostname=parted-000001$`));
    await lab.provider.pools.stop(one!.ref);
    await lab.provider.snapshots.createSnapshot({
      name: 'parted',
      sourceDiskId: one!.osDisk!.id,
      region: 'local',
      tags: {},
    });
    const roots: (string | undefined)[] = [];
    const provider = providerIn({ ...lab.context, scrub: async ({ root }) => void roots.push(root) });
    const terms = { replicas: 1, redundancy: 'local', isExcludedFromLatest: false, tags: {} } as const;
    const order = { name: '3.0.0', snapshotId: 'snapshots/parted', region: 'local', ...terms };
    await provider.gallery.beginVersion({ definition, ...order });
    expect(roots).toEqual([ROOT]);
    const { ref: clones } = await lab.provider.pools.createPool(poolSpec(`${definition.id}/3.0.0`, { name: 'clones' }));
    await lab.provider.pools.setCapacity(clones, 1);
    expect(started()).toMatch(new RegExp(`^root=${ROOT} rw panic=10 .*hostname=clones-000001$`));
  });

  it('refuses a kernel argument of several words, and publishes nothing', async () => {
    for (const spec of [{ root: 'PARTUUID=x init=/bin/sh' }, { kernelArgs: ['a b'] }, { kernelArgs: ['ä'] }])
      await expect(publish(spec)).rejects.toMatchObject({ code: 'vms/bad-boot-facts' });
    const [empty] = (await lab.provider.gallery.listDefinitions('headstart'))!.filter(({ name }) => name === 'empty');
    expect((await lab.provider.gallery.listVersions(empty!)).map(({ name }) => name)).toEqual(['1.0.0']);
  });

  it('copies a loose disk unchanged, and keeps an excluded version out of latest', async () => {
    const before = lab.ran.length;
    const id = await publish({ isExcludedFromLatest: true }, { isLoose: true });
    expect(lab.ran.slice(before).flat()).not.toContain('convert');
    const [empty] = (await lab.provider.gallery.listDefinitions('headstart'))!.filter(({ name }) => name === 'empty');
    const version = (await lab.provider.gallery.listVersions(empty!)).find((one) => one.id === id);
    expect(version).toMatchObject({ isExcludedFromLatest: true });
  });

  it('copies the files, so that later changes to them have no effect', async () => {
    writeFileSync(join(lab.context.home, 'vmlinux-1.0.0'), 'changed');
    await verifyVersion(lab.context.home, { gallery: 'headstart', definition: 'empty', version: '1.0.0' });
  });

  it('succeeds the second time', async () => {
    const record = join(
      versionFolder(lab.context.home, { gallery: 'headstart', definition: 'empty', version: '1.0.0' }),
      'version.json',
    );
    const before = statSync(record).mtimeMs;
    await publishEmpty(lab);
    expect(statSync(record).mtimeMs).toBe(before);
  });
});
