// image/build/disk/boot-files.ts: what does the firmware find on the EFI partition? systemd-boot, configured to start the only kernel without delay.
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
 * For clouds: they show the serial console, and a kernel that panics restarts. CPU vulnerability mitigations stay on.
 */
export const KERNEL_ARGS = ['console=ttyS0,115200n8', 'quiet', 'panic=10'];

/** The kernel command line for firmware and QEMU. `root` is `PARTUUID=…`. */
export function kernelCommandLine(root: string, args: readonly string[]): string {
  const line = [`root=${root}`, 'rw', 'rootflags=noatime', ...args].join(' ');
  if (/[^\x20-\x7e]/.test(line)) throw new RangeError('the kernel arguments are not one line of plain text');
  return line;
}

export function bootFiles({ loader, vmlinuz, initrd, release, commandLine }: BootParts): FatFile[] {
  return [
    // The path that firmware tries on an unknown disk.
    { path: 'EFI/BOOT/BOOTX64.EFI', bytes: loader },
    { path: 'loader/loader.conf', bytes: Buffer.from(LOADER) },
    { path: 'loader/entries/headstart.conf', bytes: Buffer.from(entry(release, commandLine)) },
    { path: 'vmlinuz', bytes: vmlinuz },
    { path: 'initrd', bytes: initrd },
  ];
}

/** No menu, no other entries and no editing of kernel arguments: a cloud VM has no user at its console. */
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
