import { describe, expect, it } from 'vitest';
import { cgroupV2, configVersions, dropInFolder, removedFlags } from './files.ts';
import { type Case, found } from './subjects.testing.ts';

const RULES_HERE = [removedFlags, dropInFolder, configVersions, cgroupV2];
const FLAGS = '/etc/default/kubelet';
const TOML = '/etc/containerd/config.toml';

describe('the rules about files', () => {
  it.each<[string, Case, string[]]>([
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
  ])('%s: %j gives %j', (id, one, expected) => {
    const rule = RULES_HERE.find((each) => each.id === id)!;
    expect(found(rule, one)).toEqual(expected);
  });
});
