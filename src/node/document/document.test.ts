import { generateKeyPairSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { renderProblem } from '../../schema/problem.ts';
import { REASONS } from '../reason-codes.ts';
import { type Accepted, parseDocument, type Reading, type Refused } from './document.ts';
import { aCluster, aDocument, anImage, anyDocument, aReading, bytesOf, NOW_MS } from './documents.testing.ts';
import { provenanceOf } from './provenance.ts';
import { API_VERSIONS, convert } from './schema/convert.ts';
import { signDocument } from './signature.ts';

const read = (document: Json, reading: Partial<Reading> = {}) =>
  parseDocument(bytesOf(document), { ...aReading, ...reading });

async function accepted(document: Json, reading: Partial<Reading> = {}): Promise<Accepted> {
  const parsed = await read(document, reading);
  if (parsed.outcome === 'accepted') return parsed;
  return expect.unreachable(parsed.problems.map(renderProblem).join('\n'));
}

async function refused(document: Json, reading: Partial<Reading> = {}): Promise<Refused> {
  const parsed = await read(document, reading);
  return parsed.outcome === 'refused' ? parsed : expect.unreachable('it was accepted');
}

const said = ({ problems }: Refused) => problems.map(renderProblem);

describe('a document that says as little as it may', () => {
  it('is a configuration with every default', async () => {
    const { config, warnings } = await accepted(aDocument());
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      generation: 1,
      kubernetesVersion: '1.34.2',
      cluster: undefined,
      join: undefined,
      labels: {},
      taints: [],
      network: { nodeIp: 'primary' },
      metadataAccess: { isBlockedForPods: true, allowedCidrs: [] },
      update: {
        mode: 'auto',
        maxClass: 3,
        jitterMs: 0,
        pollMs: 60_000,
        onDrift: 'report',
        health: {
          requireNodeReady: true,
          readyWithinMs: 180_000,
          maxRestarts: 3,
          restartsWithinMs: 120_000,
          commitAfterMs: 300_000,
        },
      },
    });
  });
});

describe('a document that says much', () => {
  it('is a configuration in which nothing has to be asked again', async () => {
    const { config } = await accepted(
      aDocument(
        {
          cluster: aCluster,
          join: { token: { token: 'abcdef.0123456789abcdef', expires: '2026-11-17T00:00:00Z' } },
          kubelet: {
            maxPods: '= min(110, cpu * 10)',
            kubeReserved: { cpu: '= 0.06 * cpu', memory: '= 255Mi + 11Mi * pods' },
            systemReserved: { cpu: '100m', memory: 1024, ephemeralStorage: '1Gi' },
            shutdownGracePeriod: '1min 30s',
            containerLogMaxSize: '10Mi',
            config: { kind: 'KubeletConfiguration', apiVersion: 'kubelet.config.k8s.io/v1beta1', evictionSoft: null },
          },
          os: {
            sysctls: { 'vm.max_map_count': 262_144, 'net.core.somaxconn': '4096' },
            swap: { size: '= memory / 4' },
          },
          proxy: { https: 'http://me:pass@proxy.example.com:3128' },
          files: {
            '/etc/motd': { content: 'hello\n' },
            '/etc/app/key': { content: 'a2V5', encoding: 'base64', secret: true, mode: '0644', owner: 'app' },
          },
          units: { 'app.service': { enabled: true, dropIns: { '10-x.conf': '[Service]\n' } } },
          update: {
            mode: 'manual',
            maxDisruption: 'drain',
            window: { start: '02:30', duration: '90min' },
            pollEvery: '5min',
          },
        },
        { generation: 7, id: 'pool1', expires: '2027-01-01T00:00:00+01:00' },
      ),
    );
    expect(config).toMatchObject({
      generation: 7,
      expiresMs: Date.UTC(2026, 11, 31, 23),
      cluster: { endpoint: 'https://10.0.2.2:6443', dnsAddresses: ['10.96.0.10'], dnsDomain: 'cluster.local' },
      join: { method: 'token', token: expect.any(Secret), expiresMs: Date.UTC(2026, 10, 17) },
      kubelet: {
        maxPods: 40,
        kubeReserved: { cpuMillis: 240, memoryBytes: (255 + 440) * 2 ** 20 },
        systemReserved: { cpuMillis: 100, memoryBytes: 1024, ephemeralStorageBytes: 2 ** 30 },
        shutdownGraceMs: 90_000,
        containerLogMaxBytes: 10 * 2 ** 20,
        config: { evictionSoft: null },
      },
      os: { sysctls: { 'vm.max_map_count': '262144' }, swap: { sizeBytes: 4 * 2 ** 30, file: '/var/lib/swapfile' } },
      proxy: { http: undefined, https: expect.any(Secret), noProxy: [] },
      files: {
        '/etc/motd': { content: 'hello\n', mode: 0o644, owner: 'root' },
        '/etc/app/key': { content: expect.any(Secret), encoding: 'base64', mode: 0o600, owner: 'app' },
      },
      units: { 'app.service': { isEnabled: true, isMasked: false, isActive: undefined } },
      update: {
        mode: 'manual',
        maxClass: 4,
        window: { days: expect.arrayContaining(['Sun']), startMinute: 150, durationMs: 5_400_000 },
      },
    });
  });

  it('says which of it is discouraged', async () => {
    const { warnings } = await accepted(
      aDocument({
        cluster: aCluster,
        join: { token: { token: 'abcdef.0123456789abcdef' } },
        proxy: { http: 'http://me:pass@proxy.example.com:3128', https: 'http://proxy.example.com:3128' },
        metadataAccess: { blockPods: false },
        files: { '/etc/key': { content: 'x', secret: true } },
        containerd: {
          registries: { 'r.example.com': { mirrors: [{ url: 'https://m.example.com', skipVerify: true }] } },
        },
      }),
    );
    expect(warnings.map(({ path }) => path)).toEqual([
      'spec.join.token',
      'spec.proxy.http',
      'spec.metadataAccess.blockPods',
      'spec.files["/etc/key"]',
      'spec.containerd.registries["r.example.com"]',
    ]);
  });
});

describe('every problem at once', () => {
  it('has its path and says what is wrong, in the words of the document', async () => {
    const problems = said(
      await refused({
        apiVersion: 'headstart.dev/v1',
        kind: 'NodeConfig',
        metadata: { generation: 0, notBefore: 'soon' },
        spec: {
          kubernetes: { version: 'v1.34' },
          cluster: { name: 'lab', endpoint: 'http://x', serviceCidrs: ['10.0.0.0/99'] },
          kubelet: {
            maxPods: 0,
            verbosity: 2.5,
            kubeReserved: { memory: '= cpu' },
            featureGates: [],
            flags: { config: '/x' },
          },
          labels: { 'node-role.kubernetes.io/control-plane': '' },
          taints: [{ key: 'a b', effect: 'Never' }],
          files: { '/etc/../x': { content: 1 }, '/etc/motd': {} },
          units: { 'headstart-node.service': {} },
          os: { sysctls: { 'a; b': 'x' } },
          update: { jitter: '5', maxUnavailable: 'all' },
        },
      }),
    );
    expect(problems.sort()).toEqual(
      [
        'metadata.generation: 0 is below 1',
        'metadata.notBefore: is not a time such as 2026-11-16T02:00:00Z',
        'spec.kubernetes.version: is not a version such as 1.34.2',
        'spec.cluster.endpoint: does not start with https://',
        'spec.cluster.certificateAuthority: is missing',
        'spec.cluster.serviceCidrs[0]: is not an address range such as 10.0.0.0/16',
        'spec.kubelet.maxPods: 0 is below 1',
        'spec.kubelet.verbosity: is 2.5, expected a whole number',
        'spec.kubelet.kubeReserved.memory: is a number, and an amount of memory belongs here',
        'spec.kubelet.featureGates: is a list, expected a map',
        'spec.kubelet.flags.config: is a flag that headstart sets itself',
        'spec.labels["node-role.kubernetes.io/control-plane"]: is a label a node may not set on itself; a controller has to',
        'spec.taints[0].key: is not a key such as example.com/name',
        'spec.taints[0].effect: is not one of NoSchedule, PreferNoSchedule, NoExecute',
        "spec.files[\"/etc/../x\"]: has '.' or '..' in it",
        'spec.files["/etc/motd"].content: is missing',
        'spec.units["headstart-node.service"]: is a unit of headstart\'s own',
        'spec.os.sysctls["a; b"]: is not a kernel setting such as net.ipv4.ip_forward',
        'spec.update.jitter: is not a time span such as 90s or 5min',
        'spec.update.maxUnavailable: is text, expected a number',
      ].sort(),
    );
  });

  it('is said in the words of v1alpha1 where the document is written in them', async () => {
    const document = {
      ...aDocument({
        cluster: { name: 'lab', endpoint: 'https://x' },
        os: { sysctls: [{ name: 'vm.swappiness' }] },
        kubelet: { labels: { 'a b': 'c' } },
        units: [{ enabled: true }],
      }),
      apiVersion: 'headstart.dev/v1alpha1',
    };
    expect(said(await refused(document)).sort()).toEqual([
      'spec.cluster.caBundle: is missing',
      'spec.kubelet.labels["a b"]: is not a label such as example.com/name',
      'spec.os.sysctls[0].value: is missing',
      'spec.units[0].name: is missing',
    ]);
  });

  it.each<[string, JsonObject, string]>([
    [
      'a cluster without a way in',
      { cluster: aCluster },
      'spec.join: is missing: a node of a cluster needs a way to join it',
    ],
    ['a way in without a cluster', { join: { existing: {} } }, 'spec.cluster: is missing: there is no cluster to join'],
    ['no way at all', { cluster: aCluster, join: {} }, 'spec.join: names 0 ways, and exactly one belongs here'],
    [
      'two ways',
      { cluster: aCluster, join: { existing: {}, credential: { name: 'x' } } },
      'spec.join: names 2 ways, and exactly one belongs here',
    ],
    [
      'a fixed address that is none',
      { network: { nodeIp: 'fixed' } },
      'spec.network.nodeAddresses: is empty, and nodeIp is fixed',
    ],
    [
      'an address for nothing',
      { network: { nodeAddresses: ['10.0.0.1'] } },
      'spec.network.nodeAddresses: is only for nodeIp: fixed',
    ],
    [
      'limits upside down',
      { kubelet: { imageGcLowPercent: 80, imageGcHighPercent: 70 } },
      'spec.kubelet.imageGcLowPercent: 80 is not below imageGcHighPercent, 70',
    ],
    [
      'an unknown runtime',
      { containerd: { defaultRuntime: 'kata' } },
      'spec.containerd.defaultRuntime: is not one of the runtimes',
    ],
    [
      'pods that depend on pods',
      { kubelet: { maxPods: '= pods' } },
      'spec.kubelet.maxPods: cannot ask for pods: that is what it says itself',
    ],
    [
      'pods below one',
      { kubelet: { maxPods: '= cpu - 10' } },
      'spec.kubelet.maxPods: comes to -6 on this machine, which is below 1',
    ],
    [
      'memory for pods nobody counted',
      { kubelet: { kubeReserved: { memory: '= 11Mi * pods' } } },
      'spec.kubelet.kubeReserved.memory: pods is not known here',
    ],
    [
      'the same taint twice',
      {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', value: 'b', effect: 'NoSchedule' },
        ],
      },
      'spec.taints[1]: is there already, with the same key and effect',
    ],
    [
      'base64 that is none',
      { files: { '/etc/x': { content: '!', encoding: 'base64' } } },
      'spec.files["/etc/x"].content: is not base64',
    ],
    [
      'a certificate that is none',
      { trustedCertificates: { a: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' } },
      'spec.trustedCertificates.a: contains a certificate that cannot be decoded',
    ],
    [
      'a key among certificates',
      { trustedCertificates: { a: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n' } },
      'spec.trustedCertificates.a: contains something other than certificates',
    ],
    [
      'an endpoint with a password',
      { cluster: { ...aCluster, endpoint: 'https://u:p@x' }, join: { existing: {} } },
      'spec.cluster.endpoint: contains a user or a password',
    ],
    [
      'another configuration for kubelet',
      { kubelet: { config: { kind: 'KubeProxyConfiguration' } } },
      'spec.kubelet.config: is of another kind than KubeletConfiguration kubelet.config.k8s.io/v1beta1',
    ],
  ])('includes %s', async (_, spec, problem) => {
    expect(said(await refused(aDocument(spec)))).toContain(problem);
  });
});

describe('one reason code each', () => {
  const alpha = { ...aDocument(), apiVersion: 'headstart.dev/v1alpha1' };
  it.each<[string, Json, Partial<Reading>]>([
    ['config/not-a-node-config', { kind: 'Pod' }, {}],
    ['config/not-a-node-config', [1, 2], {}],
    ['config/not-a-node-config', { ...aDocument(), apiVersion: 'example.com/v1' }, {}],
    ['config/unsupported-version', { ...aDocument(), apiVersion: 'headstart.dev/v2' }, {}],
    ['config/unsupported-version', alpha, { image: { ...anImage, configApiVersions: ['headstart.dev/v1'] } }],
    ['config/other-kubernetes-version', aDocument({ kubernetes: { version: '1.35.0' } }), {}],
    ['config/other-kubernetes-version', aDocument({ kubernetes: { version: '1.35.0' }, kubelet: { maxPods: 0 } }), {}],
    ['config/invalid', aDocument({ kubelet: 7 }), {}],
    ['config/invalid', { apiVersion: 'headstart.dev/v1', kind: 'NodeConfig' }, {}],
    ['config/unknown-field', aDocument({ kubelet: { maxpods: 7 } }), { isStrict: true }],
    ['config/not-yet', aDocument({}, { notBefore: '2026-11-16T02:00:01Z' }), {}],
    ['config/expired', aDocument({}, { expires: '2026-11-16T02:00:00Z' }), {}],
    ['config/generation-backwards', aDocument(), { applied: { generation: 2, documentHash: 'x' } }],
    ['config/generation-reused', aDocument(), { applied: { generation: 1, documentHash: 'x' } }],
    ['config/signature-missing', aDocument(), { image: { ...anImage, signers: ['x'] } }],
  ])('%s', async (reason, document, reading) => {
    const { reason: told, problems } = await refused(document, reading);
    expect([told, problems[0]!.reason]).toEqual([reason, reason]);
  });

  it('a field named like the language reserves is refused, not followed', async () => {
    const text = JSON.stringify(aDocument()).replace('"kubernetes"', '"__proto__":{"polluted":true},"kubernetes"');
    expect(await parseDocument(Buffer.from(text), aReading)).toMatchObject({
      outcome: 'refused',
      reason: 'config/invalid',
    });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('what is applied', () => {
  it('stays in force: it is neither expired nor reused', async () => {
    const document = aDocument({}, { expires: '2026-11-16T03:00:00Z' });
    const { documentHash } = await accepted(document);
    const applied = { generation: 1, documentHash };
    await accepted(document, { applied, nowMs: NOW_MS + 86_400_000 });
  });

  it('may be replaced by an older generation when a person asks', async () => {
    await accepted(aDocument(), { applied: { generation: 9, documentHash: 'x' }, allowsOlder: true });
  });

  it('is known by what the document says, not by how it is written', async () => {
    const document = aDocument({ kubelet: { maxPods: 50, verbosity: 2 } });
    const { documentHash, hash } = await accepted(document);
    const yaml =
      'kind: NodeConfig\nspec: # a comment\n  kubelet: {verbosity: 2, maxPods: 50}\n  kubernetes: {version: 1.34.2}\nmetadata: {generation: 1}\napiVersion: headstart.dev/v1\n';
    for (const bytes of [Buffer.from(yaml), gzipSync(yaml), bytesOf(convert(document, 'headstart.dev/v1alpha1'))]) {
      expect(await parseDocument(bytes, aReading)).toMatchObject({ outcome: 'accepted', documentHash, hash });
    }
    expect((await accepted(aDocument({ kubelet: { maxPods: 51, verbosity: 2 } }))).documentHash).not.toBe(documentHash);
  });
});

describe('fields nobody knows', () => {
  const document = aDocument(
    { kubelet: { maxpods: 7 }, gpu: {}, files: { '/etc/x': { content: '', mod: 1 } } },
    { owner: 'me' },
  );

  it('are told, with their paths, and have no effect', async () => {
    const { warnings, config } = await accepted(document);
    expect(warnings.map(renderProblem)).toEqual([
      'metadata.owner: is not a field of this version',
      'spec.kubelet.maxpods: is not a field of this version',
      'spec.files["/etc/x"].mod: is not a field of this version',
      'spec.gpu: is not a field of this version',
    ]);
    expect(config.kubelet.maxPods).toBeUndefined();
  });

  it('do not hide the problems of those that are known', async () => {
    const problems = said(await refused(aDocument({ gpu: {}, kubelet: { maxPods: 0 }, update: { mode: 'never' } })));
    expect(problems).toEqual([
      'spec.kubelet.maxPods: 0 is below 1',
      'spec.update.mode: is not one of auto, staged, manual, try',
    ]);
  });
});

describe('layers', () => {
  const image = {
    ...anImage,
    defaults: { kubelet: { maxPods: 30, verbosity: 1 }, labels: { from: 'image', image: 'yes' } },
  };
  const override = (name: string, spec: JsonObject, more: JsonObject = {}) => ({
    name,
    bytes: bytesOf({ apiVersion: 'headstart.dev/v1', kind: 'NodeConfig', spec, ...more }),
  });

  it('win over those below them, and each leaf knows where it came from', async () => {
    const parsed = await accepted(aDocument({ kubelet: { maxPods: 60 }, labels: { from: 'userData' } }), {
      image,
      overrides: [
        override('10-pool.yaml', { labels: { from: 'pool' }, kubelet: { podPidsLimit: 100 } }),
        override('local override', { kubelet: { maxPods: null } }),
      ],
    });
    expect(parsed.config).toMatchObject({
      kubelet: { maxPods: undefined, verbosity: 1, podPidsLimit: 100 },
      labels: { from: 'pool', image: 'yes' },
    });
    const from = Object.fromEntries(provenanceOf(parsed).map((leaf) => [leaf.path, leaf.from]));
    expect(from).toMatchObject({
      'spec.kubernetes.version': 'userData',
      'spec.kubelet.verbosity': 'image defaults',
      'spec.kubelet.podPidsLimit': '10-pool.yaml',
      'spec.labels.from': '10-pool.yaml',
      'spec.labels.image': 'image defaults',
      'spec.update.mode': 'default',
    });
  });

  it('may be written in either version', async () => {
    const bytes = bytesOf({
      apiVersion: 'headstart.dev/v1alpha1',
      kind: 'NodeConfig',
      spec: { os: { sysctls: [{ name: 'vm.swappiness', value: 1 }] } },
    });
    const { config } = await accepted(aDocument({ os: { sysctls: { 'vm.overcommit_memory': 1 } } }), {
      overrides: [{ name: 'x', bytes }],
    });
    expect(config.os.sysctls).toEqual({ 'vm.overcommit_memory': '1', 'vm.swappiness': '1' });
  });

  it('may complete each other, but not leave out what nobody says', async () => {
    const start = aDocument({ cluster: { name: 'lab', endpoint: 'https://x' }, join: { existing: {} } });
    const whole = override('a', { cluster: { certificateAuthority: aCluster.certificateAuthority! } });
    await accepted(start, { overrides: [whole] });
    expect(said(await refused(start))).toEqual(['spec.cluster.certificateAuthority: is missing']);
  });

  it('may change one field of what needs several', async () => {
    const swap = override('a', { os: { swap: { behavior: 'NoSwap' } } });
    const { config } = await accepted(aDocument({ os: { swap: { size: '1Gi' } } }), { overrides: [swap] });
    expect(config.os.swap).toMatchObject({ sizeBytes: 2 ** 30, behavior: 'NoSwap' });
  });

  it('are all told of, each by name, when something is wrong in them', async () => {
    const overrides = [
      override('a', { kubelet: { maxPods: -1 } }),
      { name: 'b', bytes: Buffer.from('{') },
      override('c', { labels: { x: 'y' }, extra: 1 }),
    ];
    const parsed = await refused(aDocument({ update: { mode: 'never' } }), { overrides });
    expect(said(parsed)).toEqual([
      'spec.update.mode: is not one of auto, staged, manual, try',
      'a: spec.kubelet.maxPods: -1 is below 1',
      'b: ends in the middle, at line 1',
    ]);
    expect(parsed.warnings.map(renderProblem)).toEqual(['c: spec.extra: is not a field of this version']);
  });

  it('change what the node runs, and so its hash, but not the hash of what was delivered', async () => {
    const plain = await accepted(aDocument());
    const changed = await accepted(aDocument(), { overrides: [override('a', { labels: { x: 'y' } })] });
    expect(changed.documentHash).toBe(plain.documentHash);
    expect(changed.hash).not.toBe(plain.hash);
  });
});

describe('a signature', () => {
  const [mine, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
  const pem = (key: typeof mine) => key.publicKey.export({ type: 'spki', format: 'pem' }).toString();
  const sign = (document: JsonObject, key: typeof mine) =>
    signDocument(document, key.privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  const image = { ...anImage, signers: [pem(other), pem(mine)] };

  it('of one of the signers on the image is enough, however the document is written', async () => {
    const signed = sign(aDocument({ labels: { a: 'b', c: 'd' } }), mine);
    await accepted(signed, { image });
    const { spec, ...rest } = signed;
    await accepted({ spec: spec!, ...rest }, { image });
  });

  it('does not hold when anything was changed, or by somebody else', async () => {
    const image1 = { ...anImage, signers: [pem(mine)] };
    const signed = sign(aDocument(), mine);
    for (const document of [{ ...signed, metadata: { generation: 2 } }, sign(aDocument(), other)]) {
      expect(await refused(document, { image: image1 })).toMatchObject({ reason: 'config/signature-invalid' });
    }
  });

  it('is not needed where the image asks for none, nor of files on the node itself', async () => {
    await accepted(sign(aDocument(), other));
    const overrides = [{ name: 'a', bytes: bytesOf({ apiVersion: 'headstart.dev/v1', kind: 'NodeConfig', spec: {} }) }];
    await accepted(sign(aDocument(), mine), { image, overrides });
  });
});

describe('secrets', () => {
  const canary = 'http://me:hunter2@proxy.example.com:3128';
  const token = 'abcdef.0123456789abcdef';
  const document = aDocument({
    cluster: aCluster,
    join: { token: { token } },
    proxy: { http: canary },
    files: { '/etc/key': { content: 'hunter2', secret: true } },
  });

  it('are shown by neither the configuration nor where values came from', async () => {
    const parsed = await accepted(document);
    const shown = JSON.stringify([parsed.config, provenanceOf(parsed), parsed.warnings]);
    expect(shown).not.toMatch(/hunter2|0123456789abcdef/);
    expect(shown).toContain('[secret]');
  });

  it('are in no problem, wherever they are put by mistake', async () => {
    const places = Object.keys(
      anyLeaves(
        aDocument({
          cluster: aCluster,
          kubelet: { maxPods: 1, cpuManagerPolicy: 'none' },
          hostName: 'x',
          update: { jitter: '1s', mode: 'auto' },
          labels: {},
          os: {},
        }),
      ),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...places),
        fc.constantFrom('hunter2', '=hunter2', 'hunter2 x', 'hunter2\n', '*hunter2'),
        async (place, secret) => {
          const parsed = await read(withLeaf(aDocument({ cluster: aCluster }), place.split('/'), secret));
          const shown = JSON.stringify(
            parsed.outcome === 'refused' ? [parsed.problems, parsed.warnings] : parsed.warnings,
          );
          expect(shown).not.toContain('hunter2');
        },
      ),
    );
  });
});

describe('whatever is delivered', () => {
  it.each(API_VERSIONS)('any right document of %s is accepted', async (version) => {
    await fc.assert(
      fc.asyncProperty(anyDocument(version), async (document) => {
        const parsed = await read(document, { maxBytes: 1 << 20 });
        if (parsed.outcome === 'refused') expect(said(parsed)).toEqual([]);
        expect(parsed.outcome).toBe('accepted');
      }),
      { numRuns: 100 },
    );
  });

  it('any bytes are accepted or refused for a known reason', async () => {
    const mangled = fc
      .tuple(anyDocument('headstart.dev/v1'), fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 }))
      .map(([document, at, bytes]) => {
        const whole = Buffer.from(bytesOf(document));
        whole.set(bytes.subarray(0, Math.max(0, whole.length - (at % whole.length))), at % whole.length);
        return whole;
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(mangled, fc.uint8Array()), async (bytes) => {
        const parsed = await parseDocument(bytes, aReading);
        if (parsed.outcome === 'refused') {
          expect(parsed.problems.length).toBeGreaterThan(0);
          expect(Object.keys(REASONS)).toContain(parsed.reason);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('a document that ends in the middle is never accepted', async () => {
    const whole = JSON.stringify(aDocument({ labels: { a: 'b' }, kubelet: { maxPods: 3 } }));
    for (let length = 0; length < whole.length; length++) {
      expect(await parseDocument(Buffer.from(whole.slice(0, length)), aReading)).toMatchObject({ outcome: 'refused' });
    }
  });
});

function anyLeaves(value: Json, path = ''): Record<string, Json> {
  if (!isObject(value)) return { [path]: value };
  return Object.assign(
    {},
    ...Object.entries(value).map(([key, item]) => anyLeaves(item, path === '' ? key : `${path}/${key}`)),
  );
}

function withLeaf(document: JsonObject, [key, ...rest]: readonly string[], value: Json): JsonObject {
  const inside = document[key!];
  return { ...document, [key!]: rest.length === 0 ? value : withLeaf(isObject(inside) ? inside : {}, rest, value) };
}
