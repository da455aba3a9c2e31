import { describe, expect, it } from 'vitest';
import { type ConnectOptions, refuseMisfits } from './connect-options.ts';

describe('refuseMisfits', () => {
  it.each<[ConnectOptions, string]>([
    [{ vms: 'azure', scrub: false }, 'the copy is not scrubbed'],
    [{ vms: 'azure', cloudInit: 'off' }, 'Azure provisions every instance through it'],
    [{ vms: 'azure', overSsh: 'me@node' }, 'a pod is the way in'],
    [{ vms: 'azure', overSsh: true }, 'a pod is the way in'],
    [{ vms: 'qemu', overSsh: 'me@node', cluster: false }, "the guest's agent is the way in"],
    [{ vms: 'azure', cluster: false, unseal: true }, 'without a cluster there is no way in'],
    [{ vms: 'azure', overSsh: 'me@node', cluster: false, unseal: true }, '--over-ssh me@node only one'],
  ])('refuses %j', (options, message) => {
    expect(() => refuseMisfits(options)).toThrow(message);
    expect(() => refuseMisfits(options)).toThrow(
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
    expect(() => refuseMisfits(options)).not.toThrow();
  });
});
