// node/document/configs.testing.ts: node configurations for tests: a plain one and an arbitrary. Names come from small sets, so that
// two configurations often disagree about the same file, setting or unit.
import fc from 'fast-check';
import { Secret } from '../../base/secret.ts';
import type { JsonObject } from '../../schema/json.ts';
import type { Facts } from '../observe/facts.ts';
import type { FileSpec, NodeConfig, UnitSpec } from './config.ts';

export const PEM = '-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n';
export const OTHER_PEM = '-----BEGIN CERTIFICATE-----\nREVG\n-----END CERTIFICATE-----\n';

export const someFacts: Facts = {
  image: {
    name: 'debian-12',
    version: '1.35.8-2026.11.16',
    kubernetesVersion: '1.35.8',
    containerdVersion: '1.6.20',
    configApiVersions: ['headstart.dev/v1'],
    cniBinDir: '/opt/cni/bin',
    defaults: {},
    signers: [],
  },
  instance: {
    platform: 'azure',
    computerName: 'Node-1',
    providerId: 'azure:///subscriptions/s/vm/1',
    addresses: ['10.0.0.4'],
    tags: {},
  },
  machine: { cpus: 4, memoryBytes: 16 * 2 ** 30 },
};

/** A node of a cluster that joins with a token; everything else as on the image. */
export function aConfig(over: Partial<NodeConfig> = {}): NodeConfig {
  return {
    generation: 1,
    kubernetesVersion: '1.35.8',
    cluster: {
      name: 'lab',
      endpoint: 'https://10.0.0.1:6443',
      certificateAuthority: PEM,
      dnsAddresses: ['10.96.0.10'],
      dnsDomain: 'cluster.local',
      serviceCidrs: ['10.96.0.0/12'],
      podCidrs: ['10.244.0.0/16'],
    },
    join: { method: 'token', token: new Secret('abcdef.0123456789abcdef') },
    kubelet: { systemReserved: {}, kubeReserved: {}, featureGates: {}, flags: {}, config: {} },
    labels: {},
    taints: [],
    containerd: { registries: {}, runtimes: {} },
    network: { nodeIp: 'primary', nodeAddresses: [], dnsServers: [], searchDomains: [] },
    trustedCertificates: {},
    os: { sysctls: {}, modules: {}, limits: {}, hugePages: {}, timeServers: [] },
    storage: {},
    ssh: { authorizedKeys: {} },
    metadataAccess: { isBlockedForPods: true, allowedCidrs: [] },
    files: {},
    units: {},
    features: {},
    update: {
      mode: 'auto',
      tryForMs: 60_000,
      maxClass: 3,
      jitterMs: 0,
      maxUnavailable: 1,
      onDrift: 'report',
      pollMs: 60_000,
      health: {
        requireNodeReady: true,
        readyWithinMs: 180_000,
        maxRestarts: 3,
        restartsWithinMs: 120_000,
        commitAfterMs: 300_000,
      },
    },
    ...over,
  };
}

/** Part of every secret of `anyConfig`, and of nothing else. */
export const CANARY = 'c4n4ry';

const secret = fc.nat(9).map((n) => new Secret(`${CANARY}-${n}`));
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const some = <T>(keys: readonly string[], value: fc.Arbitrary<T>) =>
  fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 3, noNullPrototype: true });
const amount = fc.integer({ min: 1, max: 4 });

const reserved = fc.record({ cpuMillis: maybe(amount), memoryBytes: maybe(amount), pids: maybe(amount) });

const kubeletConfig: fc.Arbitrary<JsonObject> = fc
  .record(
    {
      maxPods: fc.constantFrom(50, 110, 200),
      evictionHard: fc.constantFrom<JsonObject>({ 'memory.available': '5%' }, { 'nodefs.available': '2Gi' }),
      cpuManagerPolicy: fc.constantFrom('none', 'static'),
      registryPullQPS: fc.constantFrom(5, null),
      staticPodURLHeader: fc.constant({ Authorization: [`Bearer ${CANARY}`] }),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map((config) => config as JsonObject);

const fileSpec: fc.Arbitrary<FileSpec> = fc.record({
  content: fc.oneof(fc.constantFrom('', 'one\n', 'one\ntwo\n', 'no line break'), secret),
  encoding: fc.constant('utf8'),
  mode: fc.constantFrom(0o644, 0o600, 0o755),
  owner: fc.constantFrom('root', 'app'),
  group: fc.constantFrom('root', 'app'),
});

const dropIns = some(['10-a.conf', '50-b.conf'], fc.constantFrom('[Service]\nNice=1\n', '[Service]\nNice=2\n'));
const unitContent = fc.constantFrom('[Service]\nExecStart=/bin/a\n', '[Service]\nExecStart=/bin/b\n');
const aboutUnit = { dropIns, isEnabled: maybe(fc.boolean()), isMasked: fc.constant(false) };
const masked: UnitSpec = { dropIns: {}, isMasked: true };

/** Units of the image, a unit of the document only, and a template. */
const units: fc.Arbitrary<Record<string, UnitSpec>> = fc.record(
  {
    'containerd.service': fc.record({ ...aboutUnit, content: maybe(unitContent), isActive: maybe(fc.boolean()) }),
    'ssh.service': fc.oneof(fc.record({ ...aboutUnit, isActive: maybe(fc.boolean()) }), fc.constant(masked)),
    'app.service': fc.oneof(
      fc.record({ ...aboutUnit, content: unitContent, isActive: maybe(fc.boolean()) }),
      fc.record({ dropIns, isEnabled: maybe(fc.constant(false)), isMasked: fc.constant(false) }),
      fc.constant(masked),
    ),
    'worker@.service': fc.record({ ...aboutUnit, content: unitContent }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** Machine and cluster stay the same: configurations a node can change to without being replaced. */
export const anyConfig: fc.Arbitrary<NodeConfig> = fc
  .record({
    join: fc.oneof(
      secret.map((token) => ({ method: 'token', token }) as const),
      fc.constant({ method: 'credential', name: 'bootstrap' } as const),
      fc.constant({ method: 'exec', apiVersion: 'v1', command: '/bin/id', args: ['x'], env: { A: CANARY } } as const),
      fc.constant({ method: 'existing' } as const),
    ),
    kubelet: fc.record({
      maxPods: maybe(fc.constantFrom(30, 110, 250)),
      systemReserved: reserved,
      kubeReserved: reserved,
      cpuManagerPolicy: maybe(fc.constantFrom('none', 'static')),
      shutdownGraceMs: maybe(fc.constantFrom(0, 30_000, 90_500)),
      maxParallelImagePulls: maybe(amount),
      verbosity: maybe(amount),
      featureGates: some(['NodeSwap', 'GracefulNodeShutdown'], fc.boolean()),
      flags: some(['register-node', 'x-quote'], fc.constantFrom('true', `a"b'c\\d$e`)),
      credentialProvider: maybe(
        fc.constant({ config: { providers: [{ env: [{ name: 'A', value: CANARY }] }] }, binDir: '/opt/bin' }),
      ),
      config: kubeletConfig,
    }),
    labels: some(['example.com/pool', 'tier'], fc.constantFrom('a', 'b', '')),
    taints: fc.uniqueArray(
      fc.record({
        key: fc.constantFrom('dedicated', 'example.com/x'),
        value: maybe(fc.constantFrom('a', 'b')),
        effect: fc.constantFrom('NoSchedule', 'NoExecute'),
      }),
      { maxLength: 3, selector: (taint) => `${taint.key}:${taint.effect}` },
    ),
    containerd: fc.record({
      registries: some(
        ['docker.io', 'registry:5000', '_default'],
        fc.record({
          server: maybe(fc.constant('https://one.example.com')),
          mirrors: fc.uniqueArray(
            fc.record({
              url: fc.constantFrom('https://a.example.com', 'http://b:5000'),
              capabilities: fc.constant(['pull', 'resolve'] as const),
              overridePath: fc.boolean(),
              skipVerify: fc.boolean(),
              certificateAuthority: maybe(fc.constantFrom(PEM, OTHER_PEM)),
            }),
            { maxLength: 2, selector: (mirror) => mirror.url },
          ),
        }),
      ),
      runtimes: some(['kata', 'runc'], fc.constant({ type: 'io.containerd.runc.v2', options: { BinaryName: 'x' } })),
      sandboxImage: maybe(fc.constantFrom('pause:1', 'pause:2')),
      snapshotter: maybe(fc.constantFrom('overlayfs', 'native')),
      maxConcurrentDownloads: maybe(amount),
      openFilesLimit: maybe(amount),
      toml: maybe(fc.constantFrom('[debug]\n  level = "info"\n', `[x]\npassword = "${CANARY}"\n`)),
    }),
    network: fc.record({
      nodeIp: fc.constantFrom('primary', 'kubelet'),
      nodeAddresses: fc.constant([]),
      dnsServers: fc.subarray(['10.0.0.2', '10.0.0.3']),
      searchDomains: fc.subarray(['a.example', 'b.example']),
      mtu: maybe(fc.constantFrom(1400, 9000)),
    }),
    proxy: maybe(
      fc.record({ http: maybe(secret), https: maybe(secret), noProxy: fc.subarray(['.internal', '10.0.0.0/8']) }),
    ),
    trustedCertificates: some(['corp', 'lab'], fc.constantFrom(PEM, OTHER_PEM)),
    os: fc.record({
      sysctls: some(
        ['vm.max_map_count', 'net.ipv4.tcp_rmem', 'net/ipv4/conf/eth0.1/forwarding'],
        fc.constantFrom('1', '4096 8192 16384'),
      ),
      modules: some(
        ['br_netfilter', 'ip-vs'],
        fc.record({ parameters: some(['size', 'mode'], fc.constantFrom('1', '2')) }),
      ),
      limits: some(
        ['nofile', 'nproc'],
        fc.record({ soft: maybe(amount), hard: maybe(fc.constant('unlimited' as const)) }),
      ),
      swap: maybe(
        fc.record({
          file: fc.constantFrom('/var/lib/swapfile', '/var/lib/other-swap'),
          sizeBytes: fc.constantFrom(1 << 20, 1 << 21),
          behavior: fc.constantFrom('NoSwap', 'LimitedSwap'),
        }),
      ),
      hugePages: fc.record({ '2Mi': amount, '1Gi': amount }, { requiredKeys: [] }),
      timeServers: fc.subarray(['ntp.example.com']),
    }),
    storage: fc.record({
      containerdRoot: maybe(fc.constant('/mnt/containerd')),
      kubeletRoot: maybe(fc.constant('/mnt/kubelet')),
    }),
    ssh: fc.record({
      authorizedKeys: some(
        ['admin', 'app'],
        fc.subarray(['ssh-ed25519 AAAA a', 'ssh-ed25519 BBBB b'], { minLength: 1 }),
      ),
      passwordAuthentication: maybe(fc.boolean()),
    }),
    metadataAccess: fc.record({
      isBlockedForPods: fc.boolean(),
      allowedCidrs: fc.subarray(['10.1.0.0/16', 'fd00::/8']),
    }),
    files: some(
      [
        '/etc/app.conf',
        '/etc/motd',
        '/opt/deep/er/file',
        '/etc/containerd/conf.d/x.toml',
        '/etc/kubernetes/manifests/p.json',
      ],
      fileSpec,
    ),
    units,
  })
  .map((parts) => aConfig(parts));
