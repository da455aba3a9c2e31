import { describe, expect, it } from 'vitest';
import type { Kind, Manifest } from '../manifest.ts';
import { aManifest, debText, fileText, KUBELET } from '../manifests.testing.ts';
import { checkRules, RULES, renderFindings } from './check.ts';
import type { Subject } from './rule.ts';

interface Case {
  kubernetes?: string;
  base?: string;
  versions?: Record<string, string | [Kind, string]>;
  files?: Record<string, string>;
  image?: string;
  places?: string[];
}

const subjectOf = ({
  kubernetes = '1.35.8',
  base = 'debian:bookworm',
  versions = {},
  files = {},
  image,
  places = [],
}: Case): Subject => ({
  kubernetes,
  base,
  versions: new Map(
    Object.entries(versions).map(([name, seen]) => [
      name,
      typeof seen === 'string' ? { kind: 'binary', version: seen } : { kind: seen[0], version: seen[1] },
    ]),
  ),
  files: Object.entries(files).map(([to, content]) => ({
    name: 'a-file',
    kind: 'file',
    licence: 'MIT',
    reason: 'x',
    update: 'patch',
    constraints: [],
    install: { to, mode: 0o644 },
    content,
  })),
  components: new Set(Object.keys(versions)),
  places: new Set(places),
  images: new Map(image === undefined ? [] : [['pause', image]]),
});

const DAEMON = '/usr/lib/headstart/headstart';
const WHOLE: Case = {
  versions: { kubelet: '1.35.8', containerd: '2.2.1' },
  image: 'registry.k8s.io/pause:3.10.1',
  places: [DAEMON],
};

const found = (id: string, one: Case) =>
  RULES.find((rule) => rule.id === id)!
    .check(subjectOf(one))
    .map(({ severity }) => severity);
const FLAGS = '/etc/default/kubelet';
const TOML = '/etc/containerd/config.toml';

describe('the rule', () => {
  it.each<[string, Case, string[]]>([
    ['kubernetes/same-patch', { versions: { kubelet: '1.35.8', kubectl: 'v1.35.8' } }, []],
    ['kubernetes/same-patch', { versions: { kubelet: '1.35.7', kubectl: '1.34.8' } }, ['error', 'error']],
    ['kubernetes/same-patch', { versions: { kubelet: ['deb', '1.35.8-1.1'] } }, []],
    ['kubernetes/same-patch', { kubernetes: '1.36.0-rc.1', versions: { kubelet: '1.36.0-rc.1' } }, []],
    ['node/complete', WHOLE, []],
    ['node/complete', { ...WHOLE, places: [] }, ['warning']],
    ['node/complete', { ...WHOLE, image: 'registry.k8s.io/not-pause:1' }, ['warning']],
    ['node/complete', {}, ['warning', 'warning', 'warning', 'warning']],
    ['node/kubernetes-minor', WHOLE, []],
    ['node/kubernetes-minor', { kubernetes: '1.29.4', places: [DAEMON] }, ['error']],
    ['node/kubernetes-minor', { kubernetes: '1.29.4' }, []],
    ['kubernetes/crictl-minor', { versions: { crictl: '1.35.0' } }, []],
    ['kubernetes/crictl-minor', { versions: { crictl: '1.34.0' } }, ['error']],
    ['kubernetes/pause-tag', { image: 'registry.k8s.io/pause:3.10.1' }, []],
    ['kubernetes/pause-tag', { image: 'registry.k8s.io/pause:3.10' }, ['warning']],
    ['kubernetes/pause-tag', { kubernetes: '1.33.1', image: 'registry.k8s.io/pause:3.10' }, []],
    ['kubernetes/pause-tag', { kubernetes: '1.36.1', image: 'registry.k8s.io/pause:3.10.1' }, ['warning']],
    ['kubernetes/pause-tag', { image: 'registry.k8s.io/kube-proxy:v1.35.8' }, []],
    ['containerd/cri', { versions: { containerd: ['deb', '1.6.20~ds1-1+deb12u1'] } }, ['warning']],
    ['containerd/cri', { kubernetes: '1.33.1', versions: { containerd: '1.7.2' } }, []],
    ['containerd/cri', { kubernetes: '1.37.0', versions: { containerd: '1.7.28' } }, ['warning']],
    ['containerd/cri', { versions: { containerd: '1.5.9' } }, ['error']],
    ['containerd/cri', { kubernetes: '1.38.0', versions: { containerd: '1.7.28' } }, ['error']],
    ['containerd/cri', { kubernetes: '1.38.0', versions: { containerd: '2.0.0' } }, []],
    ['containerd/recommended', { versions: { containerd: ['deb', '1.6.20~ds1-1+deb12u1'] } }, ['warning']],
    ['containerd/recommended', { versions: { containerd: '2.2.1' } }, []],
    ['containerd/recommended', { versions: { containerd: '2.0.3' } }, ['warning']],
    ['containerd/runc', { versions: { containerd: '2.2.1', runc: '1.3.4' } }, []],
    ['containerd/runc', { versions: { containerd: '2.2.1', runc: '1.2.0' } }, ['warning']],
    ['containerd/runc', { versions: { containerd: ['deb', '1.6.20~ds1-1'], runc: ['deb', '1.1.5+ds1-1'] } }, []],
    ['containerd/cni-plugins', { versions: { 'cni-plugins': '0.9.1' } }, ['error']],
    ['containerd/cni-plugins', { versions: { 'containernetworking-plugins': ['deb', '1.1.1+ds1-3'] } }, []],
    ['kubelet/cgroup-v2', { base: 'debian:buster' }, ['error']],
    ['kubelet/cgroup-v2', { kubernetes: '1.34.1', base: 'debian:buster' }, ['warning']],
    ['kubelet/cgroup-v2', { files: { '/etc/kernel/cmdline': 'systemd.unified_cgroup_hierarchy=0' } }, ['error']],
    ['kubelet/cgroup-v2', {}, []],
    ['kubelet/removed-flags', { files: { [FLAGS]: 'X="--pod-infra-container-image=a --v=2"' } }, ['error']],
    ['kubelet/removed-flags', { kubernetes: '1.34.2', files: { [FLAGS]: 'X="--pod-infra-container-image=a"' } }, []],
    ['kubelet/removed-flags', { files: { '/etc/other': '--container-runtime=remote' } }, []],
    ['kubelet/removed-flags', { files: { [FLAGS]: '--container-runtime-endpoint=unix:///x --constructor' } }, []],
    ['kubelet/config-dir', { kubernetes: '1.27.1', files: { [FLAGS]: '--config-dir=/x' } }, ['error']],
    ['kubelet/config-dir', { kubernetes: '1.29.1', files: { [FLAGS]: '--config-dir=/x' } }, ['warning']],
    ['kubelet/config-dir', { files: { [FLAGS]: '--config-dir=/x' } }, []],
    ['kubelet/config-dir', { files: { '/etc/kubernetes/kubelet/config.d/10-x.yaml': 'x' } }, ['warning']],
    [
      'config/api-versions',
      { files: { '/x.yaml': 'kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1\n' } },
      ['error'],
    ],
    [
      'config/api-versions',
      { files: { '/x.yaml': 'kind: KubeletConfiguration\napiVersion: kubelet.config.k8s.io/v1beta1\n' } },
      [],
    ],
    ['config/api-versions', { versions: { containerd: '1.7.1' }, files: { [TOML]: 'version = 3\n' } }, ['error']],
    ['config/api-versions', { versions: { containerd: '2.2.1' }, files: { [TOML]: 'version = 3\n' } }, []],
    ['config/api-versions', { versions: { containerd: '2.2.1' }, files: { [TOML]: '[plugins]\n' } }, ['error']],
    [
      'config/api-versions',
      { versions: { containerd: '1.7.1' }, files: { '/etc/containerd/certs.d/x/hosts.toml': 'server = "x"\n' } },
      [],
    ],
  ])('%s on %j finds %j', (id, one, expected) => {
    expect(found(id, one)).toEqual(expected);
  });

  it('has an id of its own, a sentence and a source, each', () => {
    expect(new Set(RULES.map(({ id }) => id)).size).toBe(RULES.length);
    for (const { says, source } of RULES) expect(says.length > 10 && source.length > 10).toBe(true);
  });
});

describe('a manifest', () => {
  const check = async (components: string, edit: (manifest: Manifest) => Manifest = (manifest) => manifest) =>
    // What these manifests leave out to be a node is not what they are about.
    checkRules(edit(await aManifest(components))).filter(({ rule }) => rule !== 'node/complete');

  it('is held to its own constraints, of components, of kubernetes and of debian', async () => {
    const findings = await check(
      `${KUBELET}${debText('containerd', '1.7.2-1')}${debText('x', '1', ['containerd >= 2', 'kubernetes >= 1.36', 'debian >= 13', 'kubelet >= 1.30'])}`,
    );
    const own = findings.filter(({ rule }) => rule === 'manifest/constraints').map(({ message }) => message);
    expect(own).toEqual([
      'it needs containerd >= 2, and there is 1.7.2-1',
      'it needs kubernetes >= 1.36, and there is 1.35.8',
      'it needs debian >= 13, and there is 12',
    ]);
  });

  it('of a base that nobody knows is not held to its number', async () => {
    const findings = await check(debText('x', '1', ['debian >= 13']), (manifest) => ({
      ...manifest,
      base: { origin: 'debian:constructor' },
    }));
    expect(findings).toEqual([]);
  });

  it('is told with rule and source, errors first', async () => {
    const findings = await check(
      `${debText('containerd', '1.6.20~ds1-1')}${KUBELET.replace('version: 1.35.8', 'version: 1.35.7')}${fileText('flags', FLAGS, '--container-runtime=x')}`,
    );
    expect(findings.map(({ severity }) => severity)).toEqual(['error', 'error', 'warning', 'warning']);
    expect(renderFindings(findings)[0]).toMatch(
      /^problem {2}kubelet \(Kubernetes 1\.35\.8\): kubelet 1\.35\.7 is not 1\.35\.8 \[kubernetes\/same-patch; .*kubernetes\.io/,
    );
  });
});
