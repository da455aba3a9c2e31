// vms/qemu/machine/firmware.ts: where is the UEFI firmware for QEMU on this machine?
import { existsSync } from 'node:fs';
import { UserError } from '../../../base/errors.ts';

export interface Firmware {
  code: string;
  /** The variables as they are before the first boot. */
  variables: string;
}

/** Debian and Ubuntu, then Fedora. These builds do not enforce Secure Boot: our images are not signed. */
const PLACES: readonly Firmware[] = [
  { code: '/usr/share/OVMF/OVMF_CODE_4M.fd', variables: '/usr/share/OVMF/OVMF_VARS_4M.fd' },
  { code: '/usr/share/OVMF/OVMF_CODE.fd', variables: '/usr/share/OVMF/OVMF_VARS.fd' },
  { code: '/usr/share/edk2/ovmf/OVMF_CODE.fd', variables: '/usr/share/edk2/ovmf/OVMF_VARS.fd' },
];

export function findFirmware(isThere: (file: string) => boolean = existsSync): Firmware {
  const found = PLACES.find(({ code, variables }) => isThere(code) && isThere(variables));
  if (found) return found;
  throw new UserError('no UEFI firmware for QEMU found on this machine', {
    code: 'vms/missing-firmware',
    kept: 'Nothing was started.',
    next: 'install the package ovmf',
    exitCode: 1,
  });
}
