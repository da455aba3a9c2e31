// image/test/boot-image.ts: start one VM from a built image in a temporary home. The build itself is neither copied nor changed.
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

/** The files of the build that each method needs. */
export const FILES: Readonly<Record<BootMethod, readonly [disk: string, ...others: string[]]>> = {
  kernel: ['disk.qcow2', 'vmlinux', 'initrd.cpio'],
  firmware: ['disk.vhd'],
};

export interface BootImageDeps extends CallOptions {
  /** The home of the factory; other users cannot read it. */
  home: string;
  factory: QemuFactory;
  clock: Clock;
  run: RunCommand;
}

/** Returns when the VM is started, before it is up. */
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
      // Larger than the image, like the disks of nodes, so that the root has to grow.
      size: { cpus: 2, memoryMb: 2048, diskGb: Math.ceil(build.diskBytes / GIB) + 2 },
      services: [],
      readyUnit: READY_UNIT,
      tags: {},
    },
    deps,
  );
  const [instance] = await factory.pools.setCapacity(TEST_POOL, 1, deps);
  if (!instance) throw new Error('the pool did not return the new instance');
  return instance;
}

/** Creates an overlay: QEMU reads the build's disk in its published format and writes to the overlay. */
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
  // Pools set the other arguments themselves.
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
