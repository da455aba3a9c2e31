import { generateKeyPairSync } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { renderProblem } from '../../schema/problem.ts';
import { REASONS } from '../reason-codes.ts';
import { type AcceptedDocument, type DocumentContext, parseDocument, type RefusedDocument } from './document.ts';
import { aCluster, aDocument, aDocumentContext, anImage, anyDocument, bytesOf, NOW_MS } from './documents.testing.ts';
import { provenanceOf } from './provenance.ts';
import { convert, NODE_CONFIG_VERSIONS } from './schema/convert.ts';
import { signDocument } from './signature.ts';

const read = (document: Json, context: Partial<DocumentContext> = {}) =>
  parseDocument(bytesOf(document), { ...aDocumentContext, ...context });

async function accepted(document: Json, context: Partial<DocumentContext> = {}): Promise<AcceptedDocument> {
  const parsed = await read(document, context);
  if (parsed.outcome === 'accepted') return parsed;
  return expect.unreachable(parsed.problems.map(renderProblem).join('\n'));
}

async function refused(document: Json, context: Partial<DocumentContext> = {}): Promise<RefusedDocument> {
  const parsed = await read(document, context);
  return parsed.outcome === 'refused' ? parsed : expect.unreachable('it was accepted');
}

const rendered = ({ problems }: RefusedDocument) => problems.map(renderProblem);

describe('a minimal document', () => {
  it('gives a configuration with all defaults', async () => {
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

describe('a full document', () => {
  it('gives a configuration with all values converted', async () => {
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

  it('warns about discouraged fields', async () => {
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

describe('problems', () => {
  it('are all reported at once, with path and expected value', async () => {
    const problems = rendered(
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
        'spec.kubelet.verbosity: expected a whole number, got 2.5',
        'spec.kubelet.kubeReserved.memory: expected an amount of memory, got a number',
        'spec.kubelet.featureGates: expected a map, got a list',
        'spec.kubelet.flags.config: is a flag that headstart sets itself',
        'spec.labels["node-role.kubernetes.io/control-plane"]: is a label that a node may not set on itself; let a controller set it',
        'spec.taints[0].key: is not a key such as example.com/name',
        'spec.taints[0].effect: is not one of NoSchedule, PreferNoSchedule, NoExecute',
        "spec.files[\"/etc/../x\"]: contains '.' or '..'",
        'spec.files["/etc/motd"].content: is missing',
        'spec.units["headstart-node.service"]: is reserved for headstart',
        'spec.os.sysctls["a; b"]: is not a kernel setting such as net.ipv4.ip_forward',
        'spec.update.jitter: is not a time span such as 90s or 5min',
        'spec.update.maxUnavailable: expected a number, got text',
      ].sort(),
    );
  });

  it('use the field names of v1alpha1 for a v1alpha1 document', async () => {
    const document = {
      ...aDocument({
        cluster: { name: 'lab', endpoint: 'https://x' },
        os: { sysctls: [{ name: 'vm.swappiness' }] },
        kubelet: { labels: { 'a b': 'c' } },
        units: [{ enabled: true }],
      }),
      apiVersion: 'headstart.dev/v1alpha1',
    };
    expect(rendered(await refused(document)).sort()).toEqual([
      'spec.cluster.caBundle: is missing',
      'spec.kubelet.labels["a b"]: is not a label such as example.com/name',
      'spec.os.sysctls[0].value: is missing',
      'spec.units[0].name: is missing',
    ]);
  });

  it.each<[string, JsonObject, string]>([
    ['a cluster without join', { cluster: aCluster }, 'spec.join: is required if spec.cluster is set'],
    ['join without a cluster', { join: { existing: {} } }, 'spec.cluster: is required if spec.join is set'],
    ['no join method', { cluster: aCluster, join: {} }, 'spec.join: expected exactly one method, got 0'],
    [
      'two join methods',
      { cluster: aCluster, join: { existing: {}, credential: { name: 'x' } } },
      'spec.join: expected exactly one method, got 2',
    ],
    [
      'a fixed node IP without an address',
      { network: { nodeIp: 'fixed' } },
      'spec.network.nodeAddresses: is required if nodeIp is fixed',
    ],
    [
      'an address without a fixed node IP',
      { network: { nodeAddresses: ['10.0.0.1'] } },
      'spec.network.nodeAddresses: is only allowed if nodeIp is fixed',
    ],
    [
      'reversed image thresholds',
      { kubelet: { imageGcLowPercent: 80, imageGcHighPercent: 70 } },
      'spec.kubelet.imageGcLowPercent: 80 must be below imageGcHighPercent, 70',
    ],
    [
      'an unknown runtime',
      { containerd: { defaultRuntime: 'kata' } },
      'spec.containerd.defaultRuntime: is not in spec.containerd.runtimes',
    ],
    [
      'pods that depend on pods',
      { kubelet: { maxPods: '= pods' } },
      'spec.kubelet.maxPods: must not use pods: pods is the value of maxPods itself',
    ],
    [
      'pods below one',
      { kubelet: { maxPods: '= cpu - 10' } },
      'spec.kubelet.maxPods: is -6 on this machine, below the minimum 1',
    ],
    [
      'memory per pod without maxPods',
      { kubelet: { kubeReserved: { memory: '= 11Mi * pods' } } },
      'spec.kubelet.kubeReserved.memory: uses pods, which has no value here',
    ],
    [
      'the same taint twice',
      {
        taints: [
          { key: 'a', effect: 'NoSchedule' },
          { key: 'a', value: 'b', effect: 'NoSchedule' },
        ],
      },
      'spec.taints[1]: duplicates a taint with the same key and effect',
    ],
    [
      'invalid base64',
      { files: { '/etc/x': { content: '!', encoding: 'base64' } } },
      'spec.files["/etc/x"].content: is not base64',
    ],
    [
      'an invalid certificate',
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
      'spec.kubelet.config: must be a KubeletConfiguration of kubelet.config.k8s.io/v1beta1',
    ],
  ])('include %s', async (_, spec, problem) => {
    expect(rendered(await refused(aDocument(spec)))).toContain(problem);
  });
});

describe('the reason code', () => {
  const alpha = { ...aDocument(), apiVersion: 'headstart.dev/v1alpha1' };
  it.each<[string, Json, Partial<DocumentContext>]>([
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
  ])('%s is reported first', async (reason, document, context) => {
    const { reason: reported, problems } = await refused(document, context);
    expect([reported, problems[0]!.reason]).toEqual([reason, reason]);
  });

  it('is config/invalid for a __proto__ key, which changes no prototype', async () => {
    const text = JSON.stringify(aDocument()).replace('"kubernetes"', '"__proto__":{"polluted":true},"kubernetes"');
    expect(await parseDocument(Buffer.from(text), aDocumentContext)).toMatchObject({
      outcome: 'refused',
      reason: 'config/invalid',
    });
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });
});

describe('the applied document', () => {
  it('stays in force after it expires', async () => {
    const document = aDocument({}, { expires: '2026-11-16T03:00:00Z' });
    const { documentHash } = await accepted(document);
    const applied = { generation: 1, documentHash };
    await accepted(document, { applied, nowMs: NOW_MS + 86_400_000 });
  });

  it('may be replaced by an older generation that a person requests', async () => {
    await accepted(aDocument(), { applied: { generation: 9, documentHash: 'x' }, allowsOlder: true });
  });

  it('has a hash that does not depend on its notation', async () => {
    const document = aDocument({ kubelet: { maxPods: 50, verbosity: 2 } });
    const { documentHash, hash } = await accepted(document);
    const yaml =
      'kind: NodeConfig\nspec: # a comment\n  kubelet: {verbosity: 2, maxPods: 50}\n  kubernetes: {version: 1.34.2}\nmetadata: {generation: 1}\napiVersion: headstart.dev/v1\n';
    for (const bytes of [Buffer.from(yaml), gzipSync(yaml), bytesOf(convert(document, 'headstart.dev/v1alpha1'))]) {
      expect(await parseDocument(bytes, aDocumentContext)).toMatchObject({ outcome: 'accepted', documentHash, hash });
    }
    expect((await accepted(aDocument({ kubelet: { maxPods: 51, verbosity: 2 } }))).documentHash).not.toBe(documentHash);
  });
});

describe('unknown fields', () => {
  const document = aDocument(
    { kubelet: { maxpods: 7 }, gpu: {}, files: { '/etc/x': { content: '', mod: 1 } } },
    { owner: 'me' },
  );

  it('are reported as warnings with their paths and have no effect', async () => {
    const { warnings, config } = await accepted(document);
    expect(warnings.map(renderProblem)).toEqual([
      'metadata.owner: is not a field of this version',
      'spec.kubelet.maxpods: is not a field of this version',
      'spec.files["/etc/x"].mod: is not a field of this version',
      'spec.gpu: is not a field of this version',
    ]);
    expect(config.kubelet.maxPods).toBeUndefined();
  });

  it('do not hide problems of known fields', async () => {
    const problems = rendered(
      await refused(aDocument({ gpu: {}, kubelet: { maxPods: 0 }, update: { mode: 'never' } })),
    );
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

  it('override lower layers, and provenance names the layer of each leaf', async () => {
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

  it('may use either version', async () => {
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

  it('may complete each other, but together need all required fields', async () => {
    const start = aDocument({ cluster: { name: 'lab', endpoint: 'https://x' }, join: { existing: {} } });
    const whole = override('a', { cluster: { certificateAuthority: aCluster.certificateAuthority! } });
    await accepted(start, { overrides: [whole] });
    expect(rendered(await refused(start))).toEqual(['spec.cluster.certificateAuthority: is missing']);
  });

  it('may change one field of a section with required fields', async () => {
    const swap = override('a', { os: { swap: { behavior: 'NoSwap' } } });
    const { config } = await accepted(aDocument({ os: { swap: { size: '1Gi' } } }), { overrides: [swap] });
    expect(config.os.swap).toMatchObject({ sizeBytes: 2 ** 30, behavior: 'NoSwap' });
  });

  it('report their problems with the name of the layer', async () => {
    const overrides = [
      override('a', { kubelet: { maxPods: -1 } }),
      { name: 'b', bytes: Buffer.from('{') },
      override('c', { labels: { x: 'y' }, extra: 1 }),
    ];
    const parsed = await refused(aDocument({ update: { mode: 'never' } }), { overrides });
    expect(rendered(parsed)).toEqual([
      'spec.update.mode: is not one of auto, staged, manual, try',
      'a: spec.kubelet.maxPods: -1 is below 1',
      'b: is truncated at line 1',
    ]);
    expect(parsed.warnings.map(renderProblem)).toEqual(['c: spec.extra: is not a field of this version']);
  });

  it('change the hash of the generation but not the hash of the document', async () => {
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

  it('of any signer on the image is enough, in any order of fields', async () => {
    const signed = sign(aDocument({ labels: { a: 'b', c: 'd' } }), mine);
    await accepted(signed, { image });
    const { spec, ...rest } = signed;
    await accepted({ spec: spec!, ...rest }, { image });
  });

  it('is invalid for a changed document or by another key', async () => {
    const image1 = { ...anImage, signers: [pem(mine)] };
    const signed = sign(aDocument(), mine);
    for (const document of [{ ...signed, metadata: { generation: 2 } }, sign(aDocument(), other)]) {
      expect(await refused(document, { image: image1 })).toMatchObject({ reason: 'config/signature-invalid' });
    }
  });

  it('is not required by an image without signers, nor for overrides on the node', async () => {
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

  it('are masked in the configuration and the provenance', async () => {
    const parsed = await accepted(document);
    const shown = JSON.stringify([parsed.config, provenanceOf(parsed), parsed.warnings]);
    expect(shown).not.toMatch(/hunter2|0123456789abcdef/);
    expect(shown).toContain('[secret]');
  });

  it('do not appear in problems, in any field', async () => {
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

describe('parseDocument', () => {
  it.each(NODE_CONFIG_VERSIONS)('accepts any valid document of %s', async (version) => {
    await fc.assert(
      fc.asyncProperty(anyDocument(version), async (document) => {
        const parsed = await read(document, { maxBytes: 1 << 20 });
        if (parsed.outcome === 'refused') expect(rendered(parsed)).toEqual([]);
        expect(parsed.outcome).toBe('accepted');
      }),
      { numRuns: 100 },
    );
  });

  it('accepts any bytes or refuses them with a known reason', async () => {
    const mangled = fc
      .tuple(anyDocument('headstart.dev/v1'), fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 8 }))
      .map(([document, at, bytes]) => {
        const whole = Buffer.from(bytesOf(document));
        whole.set(bytes.subarray(0, Math.max(0, whole.length - (at % whole.length))), at % whole.length);
        return whole;
      });
    await fc.assert(
      fc.asyncProperty(fc.oneof(mangled, fc.uint8Array()), async (bytes) => {
        const parsed = await parseDocument(bytes, aDocumentContext);
        if (parsed.outcome === 'refused') {
          expect(parsed.problems.length).toBeGreaterThan(0);
          expect(Object.keys(REASONS)).toContain(parsed.reason);
        }
      }),
      { numRuns: 200 },
    );
  });

  it('never accepts a truncated document', async () => {
    const whole = JSON.stringify(aDocument({ labels: { a: 'b' }, kubelet: { maxPods: 3 } }));
    for (let length = 0; length < whole.length; length++) {
      expect(await parseDocument(Buffer.from(whole.slice(0, length)), aDocumentContext)).toMatchObject({
        outcome: 'refused',
      });
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
