import { describe, expect, it } from 'vitest';
import { someFacts } from '../../document/configs.testing.ts';
import { flagsOf, textAt, want } from '../desired.testing.ts';

describe('the host name', () => {
  it('is required if the name from the platform is not a valid host name', () => {
    const facts = { ...someFacts, instance: { ...someFacts.instance, computerName: '$(reboot)' } };
    expect(want({}, facts).problems).toMatchObject([{ path: 'spec.hostName' }]);
    expect(want({}, facts).files.has('/etc/hostname')).toBe(false);
  });

  it('comes from the document, else from the platform in lower case, else from the image', () => {
    expect(textAt('/etc/hostname', { hostName: 'other' })).toBe('other\n');
    expect(textAt('/etc/hostname')).toBe('node-1\n');
    expect(flagsOf()['hostname-override']).toBe('node-1');
    const { computerName: _, ...instance } = someFacts.instance;
    const unnamed = want({}, { ...someFacts, instance });
    expect([unnamed.files.has('/etc/hostname'), unnamed.live.has('host-name ')]).toEqual([false, false]);
  });
});
