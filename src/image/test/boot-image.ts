// image/test/boot-image.ts: one VM of a built image, with metadata of its own, in a home that holds nothing else. Nothing of the build is copied or changed.
import { join, resolve } from 'node:path';
import type { CallOptions } from '../../base/call-options.ts';
import type { Clock } from '../../base/clock.ts';
import type { RunCommand } from '../../base/command.ts';
import { runTool } from '../../host/run-tool.ts';
import type { Instance, PoolRef } from '../../vms/pools.ts';
import { publishVersion } from '../../vms/qemu/images/make-version.ts';
import type { QemuFactory } from '../../vms/qemu/local-factory.ts';
import type { BuildRecord } from '../build/contract.ts';
import { imageDefinitionSpec, imageVersionName } from '../publish/names.ts';
import { testDocument } from './document.ts';
import type { BootMethod } from './verdict.ts';

export const TEST_POOL: PoolRef = { id: 'pools/image-test', name: 'image-test' };
const READY_UNIT = 'headstart-node-ready.target';
const GIB = 2 ** 30;

/** What of the build each way needs. */
export const FILES: Readonly<Record<BootMethod, readonly [disk: string, ...others: string[]]>> = {
  kernel: ['disk.qcow2', 'vmlinux', 'initrd.cpio'],
  firmware: ['disk.vhd'],
};

export interface BootImageDeps extends CallOptions {
  /** Of the factory; closed to others. */
  home: string;
  factory: QemuFactory;
  clock: Clock;
  run: RunCommand;
}

/** Started, and not up yet. */
export async function bootImage(
  folder: string,
  build: BuildRecord,
  way: BootMethod,
  deps: BootImageDeps,
): Promise<Instance> {
  const { factory } = deps;
  const id = await publishForTest(resolve(folder), build, way, deps);
  await factory.pools.createPool(
    {
      name: TEST_POOL.name,
      image: { kind: 'version', id },
      userData: Buffer.from(testDocument(build.kubernetes)).toString('base64'),
      extensions: [],
      // Larger than the image, as the disks of nodes are: the root has to grow.
      size: { cpus: 2, memoryMb: 2048, diskGb: Math.ceil(build.diskBytes / GIB) + 2 },
      services: [],
      readyUnit: READY_UNIT,
      tags: {},
    },
    deps,
  );
  const [instance] = await factory.pools.setCapacity(TEST_POOL, 1, deps);
  if (!instance) throw new Error('a pool was asked for an instance, and has none');
  return instance;
}

/** A disk that stands on the build's own: QEMU reads the very file, in the format that is published, and writes elsewhere. */
async function publishForTest(
  folder: string,
  build: BuildRecord,
  way: BootMethod,
  deps: BootImageDeps,
): Promise<string> {
  const { home, clock, run, signal } = deps;
  const disk = join(home, 'disk.qcow2');
  const [below, format] = way === 'kernel' ? ['disk.qcow2', 'qcow2'] : ['disk.vhd', 'vpc'];
  const size = String(build.diskBytes);
  const overlay = ['create', '-q', '-f', 'qcow2', '-F', format, '-b', join(folder, below), disk, size];
  await runTool(run, ['qemu-img', ...overlay], signal);
  // What pools give themselves is left to them.
  const kernelArgs = build.kernelArgs
    .split(' ')
    .filter((word) => word !== '' && word !== 'rw' && !word.startsWith('root='));
  return publishVersion(
    { home, clock, run },
    {
      definition: imageDefinitionSpec(build, 'image-test'),
      name: imageVersionName(build.base),
      tags: {},
      cloudInit: 'off',
      ...(way === 'kernel' ? { root: build.root, kernelArgs } : { firmware: 'uefi' as const }),
    },
    {
      disk,
      isLoose: true,
      ...(way === 'kernel' && {
        kernel: { vmlinux: join(folder, 'vmlinux'), initrd: join(folder, 'initrd.cpio') },
      }),
    },
    deps,
  );
}
