import { expect, it } from 'vitest';
import { findFirmware } from './firmware.ts';

it('findFirmware returns code and variables of the same build', () => {
  const there = ['/usr/share/OVMF/OVMF_CODE_4M.fd', '/usr/share/OVMF/OVMF_CODE.fd', '/usr/share/OVMF/OVMF_VARS.fd'];
  expect(findFirmware((file) => there.includes(file))).toEqual({
    code: '/usr/share/OVMF/OVMF_CODE.fd',
    variables: '/usr/share/OVMF/OVMF_VARS.fd',
  });
});

it('findFirmware names the package to install when there is none', () => {
  expect(() => findFirmware(() => false)).toThrow(
    expect.objectContaining({ code: 'vms/missing-firmware', next: 'install the package ovmf' }),
  );
});
