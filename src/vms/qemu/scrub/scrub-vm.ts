// vms/qemu/scrub/scrub-vm.ts: the command line of the scrub VM.
import type { ToolArgv } from '../../../host/required-tools.ts';
import { ANSWER_PORT, INIT_PATH } from './scrub-init.ts';

export interface ScrubVm {
  /** raw */
  disk: string;
  vmlinux: string;
  initrd: string;
  /** Files that the VM writes. */
  answer: string;
  console: string;
  accelerator: 'kvm' | 'tcg';
}

const MEMORY_MB = 512;

export function scrubArgv({ disk, vmlinux, initrd, answer, console, accelerator }: ScrubVm): ToolArgv {
  return [
    ...([
      'qemu-system-x86_64',
      '-nodefaults',
      '-no-user-config',
      '-display',
      'none',
      '-no-reboot',
      '-nic',
      'none',
    ] as const),
    ...['-machine', 'q35', '-cpu', 'max', '-smp', '1', '-m', String(MEMORY_MB)],
    ...['-accel', accelerator === 'kvm' ? 'kvm' : 'tcg,thread=multi'],
    ...['-kernel', vmlinux, '-initrd', initrd, '-append'],
    `console=ttyS0 quiet panic=-1 mitigations=off nokaslr audit=0 tsc=reliable no_timer_check rdinit=/${INIT_PATH}`,
    // werror=report: by default QEMU pauses the guest on a failed write, and we would wait until the deadline.
    ...['-drive', `file=${inOption(disk)},format=raw,if=none,id=copy,cache=unsafe,discard=unmap,werror=report`],
    ...['-device', 'virtio-blk-pci,drive=copy', '-device', 'virtio-serial-pci'],
    ...['-chardev', `file,id=answer,path=${inOption(answer)}`],
    ...['-device', `virtserialport,chardev=answer,name=${ANSWER_PORT}`],
    ...['-chardev', `file,id=console,path=${inOption(console)}`, '-serial', 'chardev:console'],
  ];
}

/** A comma inside a value is doubled. */
function inOption(path: string): string {
  return path.replaceAll(',', ',,');
}
