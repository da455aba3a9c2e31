import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { NotFound } from '../../../base/failures.ts';
import { partialPrefix } from '../../../host/whole-folders.ts';
import type { QemuContext } from '../context.ts';
import {
  instanceFiles,
  instanceFolder,
  poolRef,
  snapshotFolder,
  snapshotsFolder,
  versionFileNames,
} from '../home/layout.ts';
import type { StartedInstance } from '../local-provider.ts';
import { setCapacity } from '../pools/capacity.ts';
import { createPool } from '../pools/pools.ts';
import { type Lab, makeLab, poolSpec, publishEmpty } from '../testing.ts';
import { createSnapshot, deleteSnapshot, readSnapshot } from './snapshots.ts';

let lab: Lab;
let donor: StartedInstance;
beforeEach(async () => {
  lab = makeLab();
  await createPool(lab.context, poolSpec(await publishEmpty(lab)));
  [donor] = (await setCapacity(lab.context, poolRef('web'), 1)) as [StartedInstance];
  lab.machines.states.clear();
});
afterEach(() => lab.end());

const specOf = (sourceDiskId: string) => ({ name: 'snap', sourceDiskId, region: 'local', tags: { a: '1' } });
const take = (changes: Partial<QemuContext> = {}) =>
  createSnapshot({ ...lab.context, ...changes }, specOf(donor.osDisk!.id));

describe('createSnapshot', () => {
  it('copies the disk with the kernel of its version, without later writes', async () => {
    const disk = join(instanceFolder(lab.context.home, donor.ref), instanceFiles.disk);
    writeFileSync(disk, `${readFileSync(disk, 'utf8')} + written`);
    await take();
    writeFileSync(disk, `${readFileSync(disk, 'utf8')} + later`);
    const place = snapshotFolder(lab.context.home, 'snap');
    expect(readFileSync(join(place, versionFileNames.disk), 'utf8')).toMatch(/ \+ written$/);
    expect(readFileSync(join(place, versionFileNames.vmlinux), 'utf8')).toBe('vmlinux 1.0.0');
    expect(await readSnapshot(lab.context, 'snap')).toMatchObject({
      ...{ id: 'snapshots/snap', state: 'complete', sourceDiskId: donor.osDisk!.id, tags: { a: '1' } },
    });
  });

  it('succeeds for the same disk, and refuses another disk under the same name', async () => {
    await take();
    const first = await readSnapshot(lab.context, 'snap');
    await take();
    expect(await readSnapshot(lab.context, 'snap')).toEqual(first);
    const [other] = (await setCapacity(lab.context, poolRef('web'), 2)) as [StartedInstance];
    lab.machines.states.clear();
    const second = createSnapshot(lab.context, specOf(other.osDisk!.id));
    await expect(second).rejects.toMatchObject({ code: 'vms/snapshot-differs' });
  });

  it('is refused while the instance runs', async () => {
    lab.machines.states.set(donor.vmId, 'running');
    await expect(take()).rejects.toMatchObject({ code: 'vms/not-stopped' });
  });

  it.each(['../../etc', 'pools/web/instances/web-000009/disk.qcow2'])(
    'throws NotFound for the disk %s',
    async (disk) => {
      await expect(createSnapshot(lab.context, specOf(disk))).rejects.toBeInstanceOf(NotFound);
    },
  );

  it('leaves nothing behind when the disk is full or the copy fails', async () => {
    await expect(take({ freeBytes: async () => 0 })).rejects.toMatchObject({ code: 'vms/no-space' });
    const run: QemuContext['run'] = (argv, options) =>
      argv.includes('rebase')
        ? Promise.resolve({ outcome: 'exited', code: 1, stdout: Buffer.alloc(0), stderr: 'no' })
        : lab.context.run(argv, options);
    await expect(take({ run })).rejects.toMatchObject({ code: 'vms/tool-failed' });
    expect(readdirSync(snapshotsFolder(lab.context.home)).filter((name) => name.startsWith(partialPrefix))).toEqual([]);
    expect(await readSnapshot(lab.context, 'snap')).toBeUndefined();
  });
});

it('deleteSnapshot deletes a snapshot, and succeeds when it does not exist', async () => {
  await take();
  await deleteSnapshot(lab.context, 'snap');
  await deleteSnapshot(lab.context, 'snap');
  expect(await readSnapshot(lab.context, 'snap')).toBeUndefined();
});
