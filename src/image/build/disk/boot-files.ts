// image/build/disk/boot-files.ts: what does firmware find on its partition? systemd's boot loader, told to start the one kernel that is there, at once.
import type { FatFile } from './fat.ts';

export interface BootParts {
  /** An EFI program. */
  loader: Uint8Array;
  vmlinuz: Uint8Array;
  initrd: Uint8Array;
  release: string;
  commandLine: string;
}

/**
 * For clouds: the serial console is where they look, and a kernel that has panicked starts again. What the kernel does against faults of
 * processors stays on.
 */
export const KERNEL_ARGS = ['console=ttyS0,115200n8', 'quiet', 'panic=10'];

/** What a kernel has to be told, whoever starts it. `root` is `PARTUUID=…`. */
export function kernelCommandLine(root: string, args: readonly string[]): string {
  const line = [`root=${root}`, 'rw', 'rootflags=noatime', ...args].join(' ');
  if (/[^\x20-\x7e]/.test(line)) throw new RangeError('the kernel’s arguments are not one line of plain text');
  return line;
}

export function bootFiles({ loader, vmlinuz, initrd, release, commandLine }: BootParts): FatFile[] {
  return [
    // Where firmware looks on a disk it has never seen.
    { path: 'EFI/BOOT/BOOTX64.EFI', bytes: loader },
    { path: 'loader/loader.conf', bytes: Buffer.from(LOADER) },
    { path: 'loader/entries/headstart.conf', bytes: Buffer.from(entry(release, commandLine)) },
    { path: 'vmlinuz', bytes: vmlinuz },
    { path: 'initrd', bytes: initrd },
  ];
}

/** Nobody is at the console: no menu, nothing else on the disk to look for, and nobody there edits the kernel's arguments. */
const LOADER = `default headstart.conf
timeout 0
editor no
auto-entries no
auto-firmware no
`;

const entry = (release: string, commandLine: string) => `title headstart
version ${release}
linux /vmlinuz
initrd /initrd
options ${commandLine}
`;
