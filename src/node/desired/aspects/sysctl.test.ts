import { describe, expect, it } from 'vitest';
import { aConfig } from '../../document/configs.testing.ts';
import { linesAt, want } from '../desired.testing.ts';
import { sysctlPath } from './sysctl.ts';

describe('a kernel setting', () => {
  it.each([
    ['net.ipv4.ip_forward', '/proc/sys/net/ipv4/ip_forward'],
    ['net/ipv4/conf/eth0.1/forwarding', '/proc/sys/net/ipv4/conf/eth0.1/forwarding'],
    ['net.ipv4.conf.eth0/1.forwarding', '/proc/sys/net/ipv4/conf/eth0.1/forwarding'],
  ])('%s is read from %s', (key, path) => {
    expect(sysctlPath(key)).toBe(path);
  });

  it('is set now and at boot, sorted, with single spaces', () => {
    const sysctls = { 'vm.b': '2', 'net.a': ' 1\t2  3 ' };
    const made = want({ os: { ...aConfig().os, sysctls } });
    expect(made.live.get('sysctl net.a')?.value).toBe('1 2 3');
    expect(linesAt('/etc/sysctl.d/90-headstart.conf', { os: { ...aConfig().os, sysctls } }).map((l) => l[0])).toEqual([
      'n',
      'v',
    ]);
  });

  it('gives no file if the document has none', () => {
    expect(want().files.has('/etc/sysctl.d/90-headstart.conf')).toBe(false);
  });
});
