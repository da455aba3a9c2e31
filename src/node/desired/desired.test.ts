import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import type { NodeConfig } from '../document/config.ts';
import { aConfig, anyConfig, OTHER_PEM, PEM, someFacts } from '../document/configs.testing.ts';
import { parseDocument } from '../document/document.ts';
import { anyDocument, aReading, bytesOf as documentBytes } from '../document/documents.testing.ts';
import type { Facts } from '../observe/facts.ts';
import { ALLOWED_FOLDERS } from './allowed-paths.ts';
import { goSpan } from './aspects/kubelet.ts';
import { sysctlPath } from './aspects/sysctl.ts';
import { bytesOf, isSecret } from './bytes.ts';
import { desired } from './desired.ts';
import { parseFlags } from './kubelet-flags.ts';
import type { Desired } from './tree.ts';

const { kubelet, os, network, containerd } = aConfig();
const OURS = '/etc/kubernetes/kubelet/config.d/20-headstart.conf';

function want(over: Partial<NodeConfig> = {}, facts: Facts = someFacts): Desired {
  return desired(aConfig(over), facts);
}

function textAt(path: string, over: Partial<NodeConfig> = {}, facts: Facts = someFacts): string {
  const file = want(over, facts).files.get(path);
  return file ? bytesOf(file).toString() : '';
}

const KUBELET_UNIT = '/etc/systemd/system/kubelet.service.d/20-headstart.conf';
const linesAt = (path: string, over: Partial<NodeConfig>) => textAt(path, over).split('\n').slice(1, -1);
const configOf = (over: Partial<NodeConfig> = {}, facts: Facts = someFacts) => JSON.parse(textAt(OURS, over, facts));
const flagsOf = (over: Partial<NodeConfig> = {}, facts: Facts = someFacts) =>
  Object.fromEntries(parseFlags(textAt('/etc/default/kubelet', over, facts)));

describe('what a node should look like', () => {
  it('is the same every time', () => {
    fc.assert(
      fc.property(anyConfig, (config) => {
        expect(desired(config, someFacts)).toEqual(desired(config, someFacts));
      }),
      { numRuns: 20 },
    );
  });

  it('is root-owned, has no secret that others can read, and no file with the rights of another user', () => {
    fc.assert(
      fc.property(anyConfig, (config) => {
        for (const file of desired(config, someFacts).files.values()) {
          if (isSecret(file)) expect(file.mode & 0o077).toBe(0);
          expect(file.mode & 0o7000).toBe(0);
          if (file.aspect !== 'files') expect([file.owner, file.group]).toEqual(['root', 'root']);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('can be told for any document that an image takes', async () => {
    await fc.assert(
      fc.asyncProperty(anyDocument('headstart.dev/v1'), async (document) => {
        const read = await parseDocument(documentBytes(document), aReading);
        if (!('config' in read)) return;
        const { files } = desired(read.config, someFacts);
        for (const path of files.keys()) expect(path).toMatch(/^(?:\/(?!\.{1,2}(?:\/|$))[^/\u0000-\u001f]+)+$/);
      }),
      { numRuns: 40 },
    );
  });

  it('has one owner for every path', () => {
    const file = { content: 'x', encoding: 'utf8', mode: 0o644, owner: 'root', group: 'root' } as const;
    for (const path of ['/etc/crictl.yaml', '/etc/default/kubelet/x', '/etc/default', '/etc/kubernetes/pki/ca.crt']) {
      const { problems, files } = want({ files: { [path]: file } });
      expect(problems).toMatchObject([{ reason: 'config/invalid', path: `spec.files["${path}"]` }]);
      expect(files.get(path)?.aspect).not.toBe('files');
    }
  });
});

describe('files of the document', () => {
  const file = { content: 'x', encoding: 'utf8', mode: 0o644, owner: 'root', group: 'root' } as const;

  it.each([
    '/etc/../shadow',
    '/etc/./shadow',
    '/etc/shadow',
    '/etc/sudoers.d/x',
    'etc/x',
    '/root/x',
    '/etc//x',
    '/etc/x/',
    '/etc/\u0000x',
    '/',
    '',
    '/etc/headstart/proxy.env',
    '/etc/systemd/system/x.service',
    '/etc/kubernetes/kubelet/config.d/99-x.conf',
    '/etc/kubernetes/kubelet/config.yaml',
  ])('are not written at %j', (path) => {
    const made = want({ files: { [path]: file } });
    expect(made.files.has(path)).toBe(false);
    expect(made.problems).toHaveLength(1);
  });

  it('are inside the allowed folders or refused, whatever their path is', () => {
    const part = fc.oneof(fc.constantFrom('..', '.', '', 'etc', 'var', 'lib', 'opt', 'x'), fc.string({ maxLength: 5 }));
    const paths = fc.oneof(
      fc.string(),
      fc.array(part).map((parts) => `/${parts.join('/')}`),
    );
    fc.assert(
      fc.property(paths, (path) => {
        const made = want({ files: { [path]: file } });
        if (!made.files.has(path)) return;
        expect(ALLOWED_FOLDERS.some((folder) => path.startsWith(folder))).toBe(true);
        expect(
          path
            .split('/')
            .slice(1)
            .some((one) => one === '' || one === '.' || one === '..'),
        ).toBe(false);
      }),
    );
  });

  it('restart containerd where containerd reads them at its start, and nothing where they are read on use', () => {
    const at = (path: string) => want({ files: { [path]: file } }).files.get(path);
    expect(at('/etc/containerd/conf.d/x.toml')).toMatchObject({ class: 3, after: [{ do: 'restart' }] });
    expect(at('/etc/containerd/certs.d/a/hosts.toml')).toMatchObject({ class: 0, after: [] });
    expect(at('/etc/kubernetes/manifests/p.json')).toMatchObject({ class: 1, after: [] });
    expect(at('/opt/x')).toMatchObject({ class: 0, after: [] });
  });

  it('are closed to others when they are secret', () => {
    const secret = { ...file, content: new Secret('x'), mode: 0o755 };
    expect(want({ files: { '/opt/x': secret } }).files.get('/opt/x')?.mode).toBe(0o700);
  });
});

describe("kubelet's configuration", () => {
  it('is that of its cluster', () => {
    expect(configOf()).toEqual({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      authentication: {
        anonymous: { enabled: false },
        webhook: { enabled: true },
        x509: { clientCAFile: '/etc/kubernetes/pki/ca.crt' },
      },
      authorization: { mode: 'Webhook' },
      cgroupDriver: 'systemd',
      clusterDNS: ['10.96.0.10'],
      clusterDomain: 'cluster.local',
      containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
      providerID: 'azure:///subscriptions/s/vm/1',
      rotateCertificates: true,
    });
    expect(textAt('/etc/kubernetes/pki/ca.crt')).toBe(PEM);
  });

  it('lets nobody in without a cluster to ask', () => {
    const config = configOf({ cluster: undefined, join: undefined });
    expect(config.authentication).toEqual({ anonymous: { enabled: false }, webhook: { enabled: false } });
    expect(config).not.toHaveProperty('clusterDNS');
    expect(flagsOf({ cluster: undefined, join: undefined })).not.toHaveProperty('kubeconfig');
  });

  it('has the typed settings as kubelet spells them, and nothing for those that are absent', () => {
    const config = configOf({
      kubelet: {
        ...kubelet,
        maxPods: 50,
        systemReserved: { cpuMillis: 100, memoryBytes: 1024, ephemeralStorageBytes: 2048, pids: 10 },
        maxParallelImagePulls: 3,
        shutdownGraceMs: 150_000,
        containerLogMaxBytes: 1000,
        featureGates: { A: true },
      },
    });
    expect(config).toMatchObject({
      maxPods: 50,
      systemReserved: { cpu: '100m', memory: '1024', 'ephemeral-storage': '2048', pid: '10' },
      serializeImagePulls: false,
      maxParallelImagePulls: 3,
      shutdownGracePeriod: '2m30s',
      containerLogMaxSize: '1000',
      featureGates: { A: true },
    });
    expect(config).not.toHaveProperty('kubeReserved');
  });

  it('has what the user says over all of it, in a file of its own', () => {
    const made = want({ kubelet: { ...kubelet, config: { maxPods: 7, kind: 'Other' } } });
    const file = made.files.get('/etc/kubernetes/kubelet/config.d/40-user.conf')!;
    expect(JSON.parse(bytesOf(file).toString())).toEqual({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      maxPods: 7,
    });
    expect(want().files.has(file.path)).toBe(false);
  });

  it('is refused when a field kubelet knows has the wrong type', () => {
    expect(
      want({ kubelet: { ...kubelet, config: { maxPods: 'many', clusterDNS: '10.0.0.1' } } }).problems,
    ).toMatchObject([
      { path: 'spec.kubelet.config.maxPods', message: 'is not a whole number' },
      { path: 'spec.kubelet.config.clusterDNS', message: 'is not a list of texts' },
    ]);
  });

  it.each([
    [0, '0s'],
    [500, '500ms'],
    [1500, '1.5s'],
    [60_000, '1m0s'],
    [3_600_000, '1h0m0s'],
    [5_430_500, '1h30m30.5s'],
  ])('writes %i ms as Go does: %s', (ms, text) => {
    expect(goSpan(ms)).toBe(text);
  });
});

describe("kubelet's flags", () => {
  it('are few: where things are, who it is, and what only a flag can say', () => {
    expect(flagsOf({ labels: { b: '2', a: '1' } })).toEqual({
      'bootstrap-kubeconfig': '/var/lib/kubelet/bootstrap-kubeconfig',
      config: '/etc/kubernetes/kubelet/config.yaml',
      'config-dir': '/etc/kubernetes/kubelet/config.d',
      'hostname-override': 'node-1',
      kubeconfig: '/var/lib/kubelet/kubeconfig',
      'node-ip': '10.0.0.4',
      'node-labels': 'a=1,b=2',
      'runtime-cgroups': '/system.slice/containerd.service',
    });
  });

  it.each([
    ['/mnt/kubelet', []],
    ['/var/lib/kubelet', []],
    ['/data/kubelet', [{ path: 'spec.storage.kubeletRoot', message: 'is not below /mnt/, /srv/, /var/lib/' }]],
  ])('have a root folder only where the daemon may write: %s', (kubeletRoot, problems) => {
    expect(want({ storage: { kubeletRoot } }).problems).toMatchObject(problems);
  });

  it('name the addresses that the document wants', () => {
    expect(flagsOf({ network: { ...network, nodeIp: 'kubelet' } })).not.toHaveProperty('node-ip');
    const fixed = { ...network, nodeIp: 'fixed', nodeAddresses: ['10.0.0.9', 'fd00::9'] } as const;
    expect(flagsOf({ network: fixed })['node-ip']).toBe('10.0.0.9,fd00::9');
    const unknown = { ...someFacts, instance: { ...someFacts.instance, addresses: [] } };
    expect(flagsOf({}, unknown)).not.toHaveProperty('node-ip');
  });

  it('find the first credential in the folder of the unit when systemd has it', () => {
    const join = { method: 'credential', name: 'first' } as const;
    expect(linesAt(KUBELET_UNIT, { join })).toEqual([
      '[Service]',
      'LoadCredential=first',
      'EnvironmentFile=/etc/default/kubelet',
      'ExecStart=',
      'ExecStart=kubelet $KUBELET_FLAGS',
    ]);
    expect(flagsOf({ join })['bootstrap-kubeconfig']).toBe('/run/credentials/kubelet.service/first');
  });

  it('start kubelet the same way however it joins, so that an image can have that', () => {
    const usual = linesAt(KUBELET_UNIT, { join: { method: 'credential', name: 'bootstrap-kubeconfig' } });
    fc.assert(
      fc.property(anyConfig, ({ join }) => {
        fc.pre(join?.method !== 'credential');
        expect(linesAt(KUBELET_UNIT, { join })).toEqual(usual);
      }),
    );
  });
});

describe('containerd', () => {
  it("keeps the image's configuration when nothing is set", () => {
    expect(want().files.has('/etc/containerd/config.toml')).toBe(false);
    expect(want({ containerd: { ...containerd, openFilesLimit: 5 } }).files.has('/etc/containerd/config.toml')).toBe(
      false,
    );
  });

  it('has one whole file, in the version it understands', () => {
    const settings = { containerd: { ...containerd, sandboxImage: 'pause:1', maxConcurrentDownloads: 5 } };
    expect(linesAt('/etc/containerd/config.toml', settings)).toEqual(
      `\
version = 2
imports = [ "/etc/containerd/conf.d/*.toml" ]

[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "pause:1"
max_concurrent_downloads = 5

[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/opt/cni/bin"
conf_dir = "/etc/cni/net.d"

[plugins."io.containerd.grpc.v1.cri".containerd]
default_runtime_name = "runc"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"

[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
SystemdCgroup = true

[plugins."io.containerd.grpc.v1.cri".registry]
config_path = "/etc/containerd/certs.d"`.split('\n'),
    );
    const second = { ...someFacts, image: { ...someFacts.image, containerdVersion: '2.1.4' } };
    const text = textAt('/etc/containerd/config.toml', settings, second);
    expect(text).toContain('version = 3\n');
    expect(text).toContain('[plugins."io.containerd.cri.v1.images".pinned_images]\nsandbox = "pause:1"\n');
    expect(text).not.toContain('io.containerd.grpc.v1.cri');
  });

  it('has the text of the document at its end, and is secret when that may hold a credential', () => {
    const at = (toml: string) =>
      want({ containerd: { ...containerd, toml } }).files.get('/etc/containerd/config.toml')!;
    expect(bytesOf(at('[debug]\nlevel = "info"')).toString()).toMatch(/certs\.d"\n\n\[debug\]\nlevel = "info"\n$/);
    expect(isSecret(at('[debug]'))).toBe(false);
    expect(at('[plugins.x.registry.configs."r".auth]\npassword = "p"')).toMatchObject({ mode: 0o600 });
  });

  it('refuses text that would land in another table or write one twice', () => {
    for (const toml of ['root = "/x"', '[plugins."io.containerd.grpc.v1.cri"]\nsandbox_image = "x"']) {
      const { problems } = want({ containerd: { ...containerd, sandboxImage: 'pause:1', toml } });
      expect(problems).toMatchObject([{ path: 'spec.containerd.toml' }]);
    }
  });

  it('has a folder for each registry, with the certificates of its mirrors', () => {
    const mirror = { capabilities: ['pull'], overridePath: true, skipVerify: false } as const;
    const registries = {
      'docker.io': {
        server: 'https://s',
        mirrors: [
          { ...mirror, url: 'https://b', overridePath: false },
          { ...mirror, url: 'https://a', certificateAuthority: OTHER_PEM },
        ],
      },
    };
    expect(
      linesAt('/etc/containerd/certs.d/docker.io/hosts.toml', { containerd: { ...containerd, registries } }),
    ).toEqual([
      'server = "https://s"',
      '',
      '[host."https://b"]',
      'capabilities = [ "pull" ]',
      '',
      '[host."https://a"]',
      'capabilities = [ "pull" ]',
      'override_path = true',
      'ca = "/etc/containerd/certs.d/docker.io/mirror-1.pem"',
    ]);
    const made = want({ containerd: { ...containerd, registries } });
    expect(made.files.get('/etc/containerd/certs.d/docker.io/mirror-1.pem')).toMatchObject({ class: 0 });
  });
});

describe('the host', () => {
  it('has its settings where each program looks for them', () => {
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

  it('keeps a name that the platform gave it and that is none from being one', () => {
    const facts = { ...someFacts, instance: { ...someFacts.instance, computerName: '$(reboot)' } };
    expect(want({}, facts).problems).toMatchObject([{ path: 'spec.hostName' }]);
    expect(want({}, facts).files.has('/etc/hostname')).toBe(false);
  });

  it.each([
    ['net.ipv4.ip_forward', '/proc/sys/net/ipv4/ip_forward'],
    ['net/ipv4/conf/eth0.1/forwarding', '/proc/sys/net/ipv4/conf/eth0.1/forwarding'],
    ['net.ipv4.conf.eth0/1.forwarding', '/proc/sys/net/ipv4/conf/eth0.1/forwarding'],
  ])('finds %s where the kernel has it', (key, path) => {
    expect(sysctlPath(key)).toBe(path);
  });

  it('reaches the outside through a proxy, but never metadata, services and pods; whose address nobody else reads', () => {
    const proxy = { http: new Secret('http://u:p"$w@proxy:1'), https: undefined, noProxy: ['.internal', 'localhost'] };
    const file = want({ proxy }).files.get('/etc/headstart/proxy.env')!;
    expect(file.mode).toBe(0o600);
    const none =
      '.internal,localhost,127.0.0.0/8,::1,169.254.169.254,168.63.129.16,.svc,.cluster.local,10.96.0.0/12,10.244.0.0/16';
    expect(bytesOf(file).toString().split('\n').slice(1, -1)).toEqual([
      'HTTP_PROXY="http://u:p\\"\\$w@proxy:1"',
      'http_proxy="http://u:p\\"\\$w@proxy:1"',
      `NO_PROXY="${none}"`,
      `no_proxy="${none}"`,
    ]);
    for (const unit of ['containerd', 'kubelet']) {
      expect(textAt(`/etc/systemd/system/${unit}.service.d/30-headstart-proxy.conf`, { proxy })).toContain(
        '[Service]\nEnvironmentFile=/etc/headstart/proxy.env\n',
      );
    }
  });
});

describe('units of the document', () => {
  it.each<[string, NodeConfig['units'], string]>([
    [
      'masked with content',
      { 'a.service': { content: 'x', dropIns: {}, isMasked: true } },
      'is masked and has content: one or the other',
    ],
    [
      'masked and active',
      { 'a.service': { dropIns: {}, isMasked: true, isActive: true } },
      'is masked and active: one or the other',
    ],
    [
      'a template that runs',
      { 'a@.service': { dropIns: {}, isMasked: false, isActive: true } },
      'is a template: only its instances run',
    ],
    [
      'our own',
      { 'headstart-node.service': { dropIns: { 'a.conf': '' }, isMasked: false } },
      'is what configures this node, and not for a document to change',
    ],
    [
      'kubelet switched',
      { 'kubelet.service': { dropIns: {}, isMasked: false, isActive: true } },
      'is started by headstart, when the node is ready for it',
    ],
  ])('cannot be %s', (_what, units, message) => {
    expect(want({ units }).problems).toMatchObject([{ reason: 'config/invalid', message }]);
  });

  it('may add to kubelet, but not replace what headstart adds', () => {
    const dropIns = { '50-user.conf': '[Service]\nNice=1\n' };
    const made = want({ units: { 'kubelet.service': { dropIns, isMasked: false } } });
    expect(made.problems).toEqual([]);
    expect(made.files.get('/etc/systemd/system/kubelet.service.d/50-user.conf')).toMatchObject({ class: 2 });
    const taken = { '20-headstart.conf': '' };
    expect(want({ units: { 'kubelet.service': { dropIns: taken, isMasked: false } } }).problems).toHaveLength(1);
  });
});
