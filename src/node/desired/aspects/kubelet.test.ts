import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { aConfig, anyConfig, PEM, someFacts } from '../../document/configs.testing.ts';
import { contentBytes } from '../bytes.ts';
import { configOf, flagsOf, KUBELET_UNIT, linesAt, textAt, want } from '../desired.testing.ts';
import { goSpan } from './kubelet.ts';

const { kubelet, network } = aConfig();

describe("kubelet's configuration", () => {
  it('has the settings of the cluster', () => {
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

  it('allows no requests without a cluster', () => {
    const config = configOf({ cluster: undefined, join: undefined });
    expect(config.authentication).toEqual({ anonymous: { enabled: false }, webhook: { enabled: false } });
    expect(config).not.toHaveProperty('clusterDNS');
    expect(flagsOf({ cluster: undefined, join: undefined })).not.toHaveProperty('kubeconfig');
  });

  it('has the settings of the document in kubelet notation, and leaves absent ones out', () => {
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

  it('has the user configuration in a separate file that overrides all others', () => {
    const made = want({ kubelet: { ...kubelet, config: { maxPods: 7, kind: 'Other' } } });
    const file = made.files.get('/etc/kubernetes/kubelet/config.d/40-user.conf')!;
    expect(JSON.parse(contentBytes(file).toString())).toEqual({
      apiVersion: 'kubelet.config.k8s.io/v1beta1',
      kind: 'KubeletConfiguration',
      maxPods: 7,
    });
    expect(want().files.has(file.path)).toBe(false);
  });

  it('is refused if a known field has the wrong type', () => {
    expect(
      want({ kubelet: { ...kubelet, config: { maxPods: 'many', clusterDNS: '10.0.0.1' } } }).problems,
    ).toMatchObject([
      { path: 'spec.kubelet.config.maxPods', message: 'must be a whole number' },
      { path: 'spec.kubelet.config.clusterDNS', message: 'must be a list of text values' },
    ]);
  });

  it.each([
    [0, '0s'],
    [500, '500ms'],
    [1500, '1.5s'],
    [60_000, '1m0s'],
    [3_600_000, '1h0m0s'],
    [5_430_500, '1h30m30.5s'],
  ])('writes %i ms in Go notation as %s', (ms, text) => {
    expect(goSpan(ms)).toBe(text);
  });
});

describe("kubelet's flags", () => {
  it('include only paths, identity and settings without a configuration field', () => {
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
  ])('accept as root folder only one that the daemon may write to: %s', (kubeletRoot, problems) => {
    expect(want({ storage: { kubeletRoot } }).problems).toMatchObject(problems);
  });

  it('have the node addresses of the document', () => {
    expect(flagsOf({ network: { ...network, nodeIp: 'kubelet' } })).not.toHaveProperty('node-ip');
    const fixed = { ...network, nodeIp: 'fixed', nodeAddresses: ['10.0.0.9', 'fd00::9'] } as const;
    expect(flagsOf({ network: fixed })['node-ip']).toBe('10.0.0.9,fd00::9');
    const unknown = { ...someFacts, instance: { ...someFacts.instance, addresses: [] } };
    expect(flagsOf({}, unknown)).not.toHaveProperty('node-ip');
  });

  it('use the credential directory of the unit for a systemd credential', () => {
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

  it('are the same for all join methods, so that an image can include the unit file', () => {
    const usual = linesAt(KUBELET_UNIT, { join: { method: 'credential', name: 'bootstrap-kubeconfig' } });
    fc.assert(
      fc.property(anyConfig, ({ join }) => {
        fc.pre(join?.method !== 'credential');
        expect(linesAt(KUBELET_UNIT, { join })).toEqual(usual);
      }),
    );
  });
});
