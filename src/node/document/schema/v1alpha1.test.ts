// v1alpha1 is released and frozen: which values it accepts and its JSON Schema must not change. If a change to v1 or to a format makes
// a test here fail, copy the old code into v1alpha1/; do not change the expectation.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { checkValue } from '../../../schema/check.ts';
import type { Json, JsonObject } from '../../../schema/json.ts';
import { parseText } from '../parse-text.ts';
import { withValue } from './difference.ts';
import { nodeConfigV1alpha1 } from './v1alpha1.ts';

const here = (path: string) => new URL(path, import.meta.url);

describe('the JSON Schema of v1alpha1', () => {
  it('is the one that was published', () => {
    const published = readFileSync(here('../../../../docs/schema/node-config-v1alpha1.json'));
    expect(createHash('sha256').update(published).digest('hex')).toBe(
      'd2972c9f053e37e33eb72d353551e79f956af2f29317a3350ee0e42f099bc148',
    );
  });
});

describe('the files of v1alpha1', () => {
  const files = ['v1alpha1.ts', ...readdirSync(here('v1alpha1/')).map((name) => `v1alpha1/${name}`)];

  it.each(files)('%s imports nothing from v1', (file) => {
    const imported = [...readFileSync(here(file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)];
    const targets = imported.map(([, target = '']) => (target.startsWith('.') ? resolved(file, target) : target));
    const allowed = [...files, 'zod/mini', ...(file === 'v1alpha1/formats.ts' ? ['formats.ts'] : [])];
    for (const target of targets) expect(allowed).toContain(target);
  });
});

/** From this folder. */
function resolved(file: string, target: string): string {
  return relative(dirname(fileURLToPath(import.meta.url)), fileURLToPath(new URL(target, here(file))));
}

describe('a document of v1alpha1', async () => {
  const text = readFileSync(here('../../fixtures/documents/v1alpha1-full.yaml'), 'utf8');
  const parsed = await parseText(text);
  const full = 'value' in parsed ? (parsed.value as JsonObject) : expect.unreachable();
  const problemsWith = (path: string, value: Json) => {
    const { problems, missing, unknown } = checkValue(nodeConfigV1alpha1, withValue(full, path.split('.'), value));
    return [...problems, ...missing, ...unknown];
  };

  it('is accepted with every section', () => {
    expect(checkValue(nodeConfigV1alpha1, full)).toMatchObject({ problems: [], missing: [], unknown: [] });
  });

  /** For each format that is more than a pattern: accepted values and refused values. */
  const formats: [string, readonly Json[], readonly Json[]][] = [
    [
      'spec.cluster.endpoint',
      ['https://h', 'https://10.0.0.4:6443'],
      ['http://h', 'https://h/', 'https://h/x', 'https://u:p@h', 'h'],
    ],
    ['spec.cluster.caBundle', [], ['', 'x', '-----BEGIN CERTIFICATE-----\nQUJD\n-----END CERTIFICATE-----\n']],
    [
      'spec.cluster.serviceCidrs',
      [['10.0.0.0/8', 'fd00::/8'], ['10.0.0.0/32']],
      [['10.0.0.0'], ['10.0.0.0/33'], ['::/129'], ['x/8']],
    ],
    [
      'spec.network.nodeAddresses',
      [['10.0.0.4', 'fd00::4'], []],
      [['10.0.0.256'], ['h'], ['10.0.0.1', '10.0.0.2', '10.0.0.3']],
    ],
    ['spec.os.timeServers', [['ntp.example.com', '10.0.0.4']], [['NTP'], ['a b'], ['']]],
    [
      'metadata.notBefore',
      ['2026-11-16T02:00:00Z', '2026-11-16T02:00:00.5+01:00'],
      ['2026-11-16', '2026-13-16T02:00:00Z', 5],
    ],
    ['spec.kubelet.maxPods', [110, '= min(110, cpu * 10)'], [0, 10_001, '110', '= disk']],
    ['spec.kubelet.systemReserved.cpu', [0.5, '100m', '= cpu / 10'], [-1, '1 core', '= 1Gi +']],
    ['spec.kubelet.systemReserved.memory', [0, '255Mi', '= memory * 0.1'], [-1, '255 MB', '1.5.5Gi']],
    [
      'spec.kubelet.labels',
      [{ 'example.com/a': 'b', 'node.kubernetes.io/pool': '' }],
      [{ 'node-role.kubernetes.io/x': '' }, { '-': 'b' }, { a: '-' }],
    ],
    [
      'spec.kubelet.taints',
      [[], [{ key: 'a/b', effect: 'NoExecute' }]],
      [[{ key: 'a/b' }], [{ key: '/', effect: 'NoExecute' }], {}],
    ],
    [
      'spec.kubelet.flags',
      [{ 'cloud-provider': 'external' }],
      [{ config: '/x' }, { '--v': '2' }, { 'node-ip': '10.0.0.4' }, { a: 'b c' }],
    ],
    ['spec.kubelet.shutdownGracePeriodSeconds', [0, 3600], [-1, 3601, '90s', 1.5]],
    ['spec.proxy.http', ['http://u:p@h:3128'], ['socks5://h', 'http://h/x', 'h:3128']],
    [
      'spec.containerd.registries',
      [{ 'r:5000': { server: 'http://h/v2' } }],
      [{ R: {} }, { r: { server: 'ftp://h' } }, { r: { server: 'http://h?x' } }],
    ],
    [
      'spec.os.sysctls',
      [[{ name: 'net.ipv4.ip_forward', value: 1 }]],
      [[{ name: 'x', value: 1 }], twice({ name: 'net.core.somaxconn', value: '1' }), {}],
    ],
    ['spec.os.modules', [['br_netfilter', 'overlay']], [['overlay', 'overlay'], ['_x'], [{}]]],
    [
      'spec.files',
      [[{ path: '/etc/x', content: 'y' }]],
      [twice({ path: '/etc/x', content: 'y' }), [{ path: '/etc/../x', content: '' }], [{ path: '/etc/x' }]],
    ],
    [
      'spec.units',
      [[{ name: 'x.service' }]],
      [twice({ name: 'x.service' }), [{ name: 'x' }], [{ name: 'headstart-node.service' }]],
    ],
    ['spec.update.maxDisruptionClass', [0, 6], [-1, 7, 'drain']],
    ['spec.update.pollEverySeconds', [5, 86_400], [4, 86_401, '1min']],
  ];
  const ownFlags =
    'bootstrap-kubeconfig cert-dir config config-dir container-runtime-endpoint exit-on-lock-contention help hostname-override ' +
    'image-credential-provider-bin-dir image-credential-provider-config kubeconfig lock-file node-ip node-labels ' +
    'register-with-taints root-dir runonce v version';
  formats.push(['spec.kubelet.flags', [], ownFlags.split(' ').map((name) => ({ [name]: 'x' }))]);
  const ownLabels =
    'kubernetes.io/hostname kubernetes.io/arch kubernetes.io/os beta.kubernetes.io/arch beta.kubernetes.io/os ' +
    'beta.kubernetes.io/instance-type failure-domain.beta.kubernetes.io/region failure-domain.beta.kubernetes.io/zone ' +
    'topology.kubernetes.io/region topology.kubernetes.io/zone kubelet.kubernetes.io/x node.kubernetes.io/x';
  formats.push(['spec.kubelet.labels', ownLabels.split(' ').map((name) => ({ [name]: 'x' })), []]);

  it.each([...new Set(formats.map(([path]) => path))])(
    'accepts the same values in %s as when it was released',
    (path) => {
      const rows = formats.filter(([one]) => one === path);
      const refused = rows.flatMap(([, taken]) => taken).filter((value) => problemsWith(path, value).length > 0);
      expect(refused).toEqual([]);
      const isFound = (value: Json) => problemsWith(path, value).some((problem) => problem.path.startsWith(path));
      expect(rows.flatMap(([, , wrong]) => wrong).filter((value) => !isFound(value))).toEqual([]);
    },
  );

  it.each([
    'spec.labels',
    'spec.taints',
    'spec.cluster.certificateAuthority',
    'spec.update.window',
    'spec.update.tryFor',
  ])('does not have the v1 field %s', (path) => {
    expect(problemsWith(path, {})).toEqual([{ path, message: 'is not a field of this version' }]);
  });
});

function twice(value: Json): Json[] {
  return [value, value];
}
