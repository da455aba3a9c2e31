// image/publish/to-qemu.ts: publish a build to a gallery on this machine: copy and compress its disk and kernel.
import { join } from 'node:path';
import { type PublishDeps, publishVersion } from '../../vms/qemu/images/make-version.ts';
import { requireOwnDisk } from '../build/disk/own-disk.ts';
import { imageDefinitionSpec } from './names.ts';
import type { Destination, PublishGallery } from './publish.ts';

export const QEMU_FILES = { disk: 'disk.qcow2', vmlinux: 'vmlinux', initrd: 'initrd.cpio' } as const;

export function qemuDestination(deps: PublishDeps & { gallery: PublishGallery; galleryName: string }): Destination {
  const { gallery, galleryName, clock } = deps;
  return {
    gallery,
    galleryName,
    region: 'local',
    clock,
    disk: QEMU_FILES.disk,
    files: Object.values(QEMU_FILES),
    way: 'kernel',
    async makeVersion({ folder, record }, _definition, plan, options) {
      const place = (name: keyof typeof QEMU_FILES) => join(folder, QEMU_FILES[name]);
      await requireOwnDisk(place('disk'), record.diskBytes);
      await publishVersion(
        deps,
        {
          definition: imageDefinitionSpec(record, galleryName),
          name: plan.version,
          tags: plan.tags,
          isExcludedFromLatest: true,
          cloudInit: 'off',
          root: record.root,
          kernelArgs: record.kernelArgs.split(' ').filter((word) => word !== '' && !word.startsWith('root=')),
        },
        { disk: place('disk'), kernel: { vmlinux: place('vmlinux'), initrd: place('initrd') } },
        options,
      );
    },
  };
}
