import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NodeConfig } from '../document/config.ts';
import { aConfig, anyConfig, PEM, someFacts } from '../document/configs.testing.ts';
import { parseDocument } from '../document/document.ts';
import { aDocumentContext, anyDocument, bytesOf as documentBytes } from '../document/documents.testing.ts';
import { isSecret } from './bytes.ts';
import { linesAt, textAt, want } from './desired.testing.ts';
import { desiredState } from './desired.ts';

const { os, network } = aConfig();

describe('desiredState', () => {
  it('is deterministic', () => {
    fc.assert(
      fc.property(anyConfig, (config) => {
        expect(desiredState(config, someFacts)).toEqual(desiredState(config, someFacts));
      }),
      { numRuns: 20 },
    );
  });

  it('has no secret that others can read, no setuid files, and no files of other users except from spec.files', () => {
    fc.assert(
      fc.property(anyConfig, (config) => {
        for (const file of desiredState(config, someFacts).files.values()) {
          if (isSecret(file)) expect(file.mode & 0o077).toBe(0);
          expect(file.mode & 0o7000).toBe(0);
          if (file.aspect !== 'files') expect([file.owner, file.group]).toEqual(['root', 'root']);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('accepts any valid document', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument('headstart.dev/v1'), async (document) => {
        const read = await parseDocument(documentBytes(document), aDocumentContext);
        if (!('config' in read)) return;
        const { files } = desiredState(read.config, someFacts);
        for (const path of files.keys()) expect(path).toMatch(/^(?:\/(?!\.{1,2}(?:\/|$))[^/\u0000-\u001f]+)+$/);
      }),
      { numRuns: 40 },
    );
  });

  it('refuses a path that another aspect writes', () => {
    const file = { content: 'x', encoding: 'utf8', mode: 0o644, owner: 'root', group: 'root' } as const;
    for (const path of ['/etc/crictl.yaml', '/etc/default/kubelet/x', '/etc/default', '/etc/kubernetes/pki/ca.crt']) {
      const { problems, files } = want({ files: { [path]: file } });
      expect(problems).toMatchObject([{ reason: 'config/invalid', path: `spec.files["${path}"]` }]);
      expect(files.get(path)?.aspect).not.toBe('files');
    }
  });
});

describe('the host', () => {
  it('has its settings in the files that each program reads', () => {
    const over: Partial<NodeConfig> = {
      hostName: 'other',
      network: { ...network, dnsServers: ['10.0.0.2'], searchDomains: ['a.example'], mtu: 1400 },
      os: {
        ...os,
        sysctls: { 'vm.max_map_count': '1', 'kernel.panic': '10' },
        modules: { overlay: { parameters: {} }, 'ip-vs': { parameters: { b: '2', a: '1' } } },
        limits: { nofile: { soft: 1024, hard: 'unlimited' } },
        hugePages: { '1Gi': 2 },
        timeServers: ['t.example', '10.0.0.3'],
      },
      ssh: { authorizedKeys: { admin: ['ssh-ed25519 AAAA'] }, passwordAuthentication: false },
    };
    expect(linesAt('/etc/sysctl.d/90-headstart.conf', over)).toEqual(['kernel.panic = 10', 'vm.max_map_count = 1']);
    expect(linesAt('/etc/modules-load.d/90-headstart.conf', over)).toEqual(['ip-vs', 'overlay']);
    expect(linesAt('/etc/modprobe.d/90-headstart.conf', over)).toEqual(['options ip-vs a=1 b=2']);
    expect(linesAt('/etc/security/limits.d/90-headstart.conf', over)).toEqual([
      '* soft nofile 1024',
      'root soft nofile 1024',
      '* hard nofile unlimited',
      'root hard nofile unlimited',
    ]);
    expect(linesAt('/etc/tmpfiles.d/headstart-huge-pages.conf', over)).toEqual([
      'w /sys/kernel/mm/hugepages/hugepages-1048576kB/nr_hugepages - - - - 2',
    ]);
    expect(linesAt('/etc/systemd/resolved.conf.d/20-headstart.conf', over)).toEqual([
      '[Resolve]',
      'DNS=10.0.0.2',
      'Domains=a.example',
    ]);
    expect(linesAt('/etc/systemd/timesyncd.conf.d/20-headstart.conf', over)).toEqual([
      '[Time]',
      'NTP=t.example 10.0.0.3',
    ]);
    expect(linesAt('/etc/chrony/sources.d/headstart.sources', over)).toEqual([
      'server t.example iburst',
      'server 10.0.0.3 iburst',
    ]);
    expect(linesAt('/etc/ssh/authorized_keys.d/admin', over)).toEqual(['ssh-ed25519 AAAA']);
    expect(linesAt('/etc/ssh/sshd_config.d/20-headstart.conf', over)).toEqual([
      'AuthorizedKeysFile .ssh/authorized_keys /etc/ssh/authorized_keys.d/%u',
      'PasswordAuthentication no',
    ]);
    expect(textAt('/etc/hostname', over)).toBe('other\n');
    expect([...want(over).live].map(([id, { value }]) => [id, value])).toEqual(
      expect.arrayContaining([
        ['host-name ', 'other'],
        ['mtu ', '1400'],
        ['module ip-vs', 'loaded'],
        ['sysctl kernel.panic', '10'],
      ]),
    );
  });

  it('trusts certificates by name, and restarts containerd for them', () => {
    expect(
      want({ trustedCertificates: { corp: PEM } }).files.get('/usr/local/share/ca-certificates/headstart-corp.crt'),
    ).toMatchObject({
      content: PEM,
      class: 3,
      after: [{ do: 'update-trust' }, { do: 'restart', unit: 'containerd.service' }],
    });
  });
});
