import { describe, expect, it } from 'vitest';
import { isOnAzure } from './vms-option.ts';

describe('a standby verb', () => {
  it.each([
    [{}, {}, false],
    [{}, { HEADSTART_VMS: 'azure' }, true],
    [{}, { HEADSTART_VMS: 'qemu' }, false],
    [{ vms: 'azure' as const }, {}, true],
    [{ vms: 'qemu' as const }, { HEADSTART_VMS: 'azure' }, false],
  ])('with %j and %j works on Azure: %s', (options, env, expected) => {
    expect(isOnAzure(options, env)).toBe(expected);
  });

  it('refuses an unknown kind of VMs', () => {
    expect(() => isOnAzure({}, { HEADSTART_VMS: 'cloud' })).toThrow('HEADSTART_VMS is "cloud"');
  });
});
