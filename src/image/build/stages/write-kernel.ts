// image/build/stages/write-kernel.ts: write the kernel and the initrd, for machines that boot without firmware.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { versionStage } from './version-stage.ts';

export const VMLINUX = 'vmlinux';
export const INITRD = 'initrd.cpio';

export const writeKernel = versionStage({
  id: 'kernel-files',
  title: 'write the kernel and the initrd',
  done: 'kernel files written',
  needs: ['base'],
  gives: [],
  async make({ files }, { base }) {
    await writeFile(join(files, VMLINUX), base.kernel.vmlinux);
    await writeFile(join(files, INITRD), base.kernel.initrdPlain);
    return {};
  },
});
