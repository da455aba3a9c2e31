import { describe, expect, it } from 'vitest';
import { type ConnectOptions, refuseUselessOptions } from './connect-options.ts';

describe('refuseUselessOptions', () => {
  it.each<[ConnectOptions, string]>([
    [{ vms: 'azure', scrub: false }, 'the copy is never scrubbed'],
    [{ vms: 'azure', cloudInit: 'off' }, 'Azure provisions every instance with cloud-init'],
    [{ vms: 'azure', overSsh: 'me@node' }, 'scripts run in a pod'],
    [{ vms: 'azure', overSsh: true }, 'scripts run in a pod'],
    [{ vms: 'qemu', overSsh: 'me@node', cluster: false }, 'scripts run through the guest agent'],
    [{ vms: 'azure', cluster: false, unseal: true }, 'without a cluster it needs ssh'],
    [{ vms: 'azure', overSsh: 'me@node', cluster: false, unseal: true }, '--over-ssh me@node names one host'],
  ])('refuses %j', (options, message) => {
    expect(() => refuseUselessOptions(options)).toThrow(message);
    expect(() => refuseUselessOptions(options)).toThrow(
      expect.objectContaining({ code: 'prototype/option-misfit', kept: 'Nothing was touched.' }),
    );
  });

  it.each<[ConnectOptions]>([
    [{ vms: 'azure' }],
    [{ vms: 'azure', cluster: false, overSsh: 'me@node' }],
    [{ vms: 'azure', cluster: false, overSsh: true, unseal: true }],
    [{ vms: 'azure', gallery: 'c', unseal: true }],
    [{ vms: 'qemu', cluster: false, unseal: true }],
    [{ vms: 'qemu', scrub: false, cloudInit: 'off' }],
  ])('accepts %j', (options) => {
    expect(() => refuseUselessOptions(options)).not.toThrow();
  });
});
