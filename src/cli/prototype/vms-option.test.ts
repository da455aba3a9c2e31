import { describe, expect, it } from 'vitest';
import { chosenVms } from './vms-option.ts';

describe('chosenVms', () => {
  it('prefers the option to the environment, and defaults to Azure', () => {
    expect(chosenVms({ vms: 'qemu' }, { HEADSTART_VMS: 'azure' })).toBe('qemu');
    expect(chosenVms({}, { HEADSTART_VMS: 'qemu' })).toBe('qemu');
    expect(chosenVms({}, { HEADSTART_VMS: '' })).toBe('azure');
    expect(chosenVms({}, {})).toBe('azure');
  });

  it('refuses an unknown value in the environment', () => {
    expect(() => chosenVms({}, { HEADSTART_VMS: 'ec2' })).toThrow('HEADSTART_VMS is "ec2", not one of azure, qemu');
  });
});
