import { describe, expect, it } from 'vitest';
import { aDeb, aLock, KUBERNETES } from '../lock/lock.testing.ts';
import { sha256Of } from '../testing.ts';
import { makeSbom } from './sbom.ts';
import { checkSbom, pathsIn } from './sbom-check.ts';

const sbomOf = (lock = aLock()) => makeSbom(lock, KUBERNETES, { contentSha256: sha256Of('content') });

describe('checkSbom', () => {
  const status = [
    stanza('containerd', '1.6.20~ds1-1+deb12u1'),
    stanza('libssl3', '1:3.0.17-1~deb12u2'),
    stanza('gone', '1.0', 'deinstall ok config-files'),
  ];
  const files = new Map([
    ['/usr/bin/kubelet', sha256Of('binary kubelet 1.35.8')],
    ['/etc/sysctl.d/90-node.conf', sha256Of('net.ipv4.ip_forward = 1\n')],
  ]);
  const check = (more: string[] = [], seen = files) =>
    checkSbom(sbomOf(), { dpkgStatus: [...status, ...more].join('\n'), files: seen });

  it('finds no difference if image and SBOM match', () => {
    expect(check()).toEqual([]);
    expect(pathsIn(sbomOf())).toEqual([...files.keys()].sort());
  });

  it('finds a package that the SBOM does not list, and one with another version', () => {
    expect(check([stanza('stowaway', '6.6')])).toEqual([{ what: 'package stowaway', found: '6.6 amd64' }]);
    expect(check([stanza('libssl3', '1:3.0.18-1')])).toEqual([
      { what: 'package libssl3', listed: '1:3.0.17-1~deb12u2 amd64', found: '1:3.0.18-1 amd64' },
    ]);
  });

  it('finds a missing package', () => {
    const lock = aLock({ artifacts: [...aLock().artifacts, aDeb('runc', '1.1.5')] });
    const differences = checkSbom(sbomOf(lock), { dpkgStatus: status.join('\n'), files });
    expect(differences).toEqual([{ what: 'package runc', listed: '1.1.5 amd64' }]);
  });

  it('finds a changed file and a missing file', () => {
    const other = new Map([['/usr/bin/kubelet', sha256Of('something else')]]);
    expect(check([], other).map(({ what }) => what)).toEqual([
      'file /etc/sysctl.d/90-node.conf',
      'file /usr/bin/kubelet',
    ]);
  });
});

function stanza(name: string, version: string, state = 'install ok installed'): string {
  return `Package: ${name}\nStatus: ${state}\nArchitecture: amd64\nVersion: ${version}\nDescription: x\n more\n`;
}
