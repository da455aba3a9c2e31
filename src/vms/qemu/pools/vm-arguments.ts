// vms/qemu/pools/vm-arguments.ts: QEMU's arguments for an instance, from its records and its image.
import type { CallOptions } from '../../../base/call-options.ts';
import type { QemuContext } from '../context.ts';
import { instanceFolder, poolRef, relativePath, versionFolder } from '../home/layout.ts';
import type { InstanceRecord, PoolRecord } from '../home/records.ts';
import { resolveVersion } from '../home/version-records.ts';
import { filesIn } from '../images/make-version.ts';
import type { Service } from '../local-provider.ts';
import { accelerator } from '../machine/accelerator.ts';
import { qemuArgv, type VmFacts } from '../machine/command-line.ts';
import { findFirmware } from '../machine/firmware.ts';

interface MachineUse {
  apiServer: Service | undefined;
  memory: VmFacts['memory'] | undefined;
}

export async function vmArguments(
  context: QemuContext,
  pool: PoolRecord,
  record: InstanceRecord,
  { apiServer, memory }: MachineUse,
  options: CallOptions,
): Promise<[string, ...string[]]> {
  const { home, metadataCommand, relayCommand } = context;
  const { id, record: version } = resolveVersion(home, record.image);
  const folder = instanceFolder(home, { pool: poolRef(pool.spec.name), id: record.id });
  const { kernel } = filesIn(versionFolder(home, id));
  return qemuArgv({
    id: record.id,
    vmId: record.vmId,
    accelerator: context.accelerator ?? (await accelerator(context, kernel?.vmlinux, options)),
    size: record.size,
    address: record.address,
    mac: record.mac,
    services: pool.spec.services,
    ...(apiServer && { apiServer }),
    ...(memory && { memory }),
    metadataCommand,
    relayCommand,
    ...(kernel && {
      kernel: { vmlinux: relativePath(folder, kernel.vmlinux), initrd: relativePath(folder, kernel.initrd) },
    }),
    cloudInit: version.cloudInit,
    ...(version.root !== undefined && { root: version.root }),
    ...(version.kernelArgs !== undefined && { kernelArgs: version.kernelArgs }),
    ...(!kernel && version.firmware === 'uefi' && { firmware: findFirmware() }),
  });
}
