import { describe, expect, it } from 'vitest';
import { aConfig } from '../../document/configs.testing.ts';
import { linesAt, want } from '../desired.testing.ts';
import { sysctlPath } from './sysctl.ts';

describe('a kernel setting', () => {
  it.each([
    ['net.ipv4.ip_forward', '/proc/sys/net/ipv4/ip_forward'],
    ['net/ipv4/conf/eth0.1/forwarding', '/proc/sys/net/ipv4/conf/eth0.1/forwarding'],
    ['net.ipv4.conf.eth0/1.forwarding', '/proc/sys/net/ipv4/conf/eth0.1/forwarding'],
  ])('named %s is where the kernel has it', (key, path) => {
    expect(sysctlPath(key)).toBe(path);
  });

  it('is set now and after a boot, in one order, with one space between its parts', () => {
    const sysctls = { 'vm.b': '2', 'net.a': ' 1\t2  3 ' };
    const made = want({ os: { ...aConfig().os, sysctls } });
    expect(made.live.get('sysctl net.a')?.value).toBe('1 2 3');
    expect(linesAt('/etc/sysctl.d/90-headstart.conf', { os: { ...aConfig().os, sysctls } }).map((l) => l[0])).toEqual([
      'n',
      'v',
    ]);
  });

  it('that is not there needs no file', () => {
    expect(want().files.has('/etc/sysctl.d/90-headstart.conf')).toBe(false);
  });
});
