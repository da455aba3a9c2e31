import { describe, expect, it } from 'vitest';
import { Secret } from '../../../base/secret.ts';
import { aConfig, OTHER_PEM, PEM, someFacts } from '../../document/configs.testing.ts';
import { contentBytes } from '../bytes.ts';
import type { OwnedFile } from '../tree.ts';
import { BOOTSTRAP_PATH, joinAspect, kubeconfigServer, repointKubeconfig } from './join.ts';

/** Written by kubelet 1.35. */
const KUBECONFIG = `apiVersion: v1
clusters:
- cluster:
    certificate-authority: /etc/kubernetes/pki/ca.crt
    server: https://10.0.2.2:6443
  name: default-cluster
contexts:
- context:
    cluster: default-cluster
    namespace: default
    user: default-auth
  name: default-context
current-context: default-context
kind: Config
preferences: {}
users:
- name: default-auth
  user:
    client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem
    client-key: /var/lib/kubelet/pki/kubelet-client-current.pem
`;
const EMBEDDED = KUBECONFIG.replace(
  'certificate-authority: /etc/kubernetes/pki/ca.crt',
  `certificate-authority-data: ${Buffer.from(PEM).toString('base64')}`,
);

describe('joining', () => {
  const usersIn = (file: OwnedFile | undefined) => (file ? JSON.parse(contentBytes(file).toString()).users : undefined);
  const bootstrap = (over: Parameters<typeof aConfig>[0]) =>
    joinAspect(aConfig(over), someFacts).files?.find((file) => file.path === BOOTSTRAP_PATH);

  it('with a token writes a bootstrap kubeconfig that only root can read, until kubelet has joined', () => {
    const file = bootstrap({ join: { method: 'token', token: new Secret('abcdef.0123456789abcdef') } });
    expect(file).toMatchObject({ mode: 0o600, isOnlyToJoin: true });
    expect(String(file?.content)).toBe('[secret]');
    expect(usersIn(file)).toEqual([{ name: 'bootstrap', user: { token: 'abcdef.0123456789abcdef' } }]);
  });

  it('with exec names the program and is not interactive', () => {
    const file = bootstrap({
      join: {
        method: 'exec',
        apiVersion: 'client.authentication.k8s.io/v1',
        command: '/bin/x',
        args: ['a'],
        env: { B: 'c' },
      },
    });
    expect(usersIn(file)).toEqual([
      {
        name: 'bootstrap',
        user: {
          exec: {
            apiVersion: 'client.authentication.k8s.io/v1',
            command: '/bin/x',
            args: ['a'],
            env: [{ name: 'B', value: 'c' }],
            interactiveMode: 'Never',
            provideClusterInfo: false,
          },
        },
      },
    ]);
  });

  it('with a systemd credential or an existing kubeconfig writes no bootstrap kubeconfig', () => {
    expect(bootstrap({ join: { method: 'credential', name: 'x' } })).toBeUndefined();
    expect(bootstrap({ join: { method: 'existing' } })).toBeUndefined();
    expect(joinAspect(aConfig({ cluster: undefined, join: undefined }), someFacts)).toEqual({});
  });
});

describe("kubelet's own kubeconfig", () => {
  it('names its server', () => {
    expect(kubeconfigServer(KUBECONFIG, PEM)).toBe('https://10.0.2.2:6443');
    expect(kubeconfigServer(KUBECONFIG.replace(/server: (.*)/, 'server: "$1"'), PEM)).toBe('https://10.0.2.2:6443');
    expect(kubeconfigServer('', PEM)).toBeUndefined();
    expect(kubeconfigServer(KUBECONFIG + KUBECONFIG, PEM)).toBeUndefined();
  });

  it('may embed the certificates of the document and no others', () => {
    expect(kubeconfigServer(EMBEDDED, PEM)).toBe('https://10.0.2.2:6443');
    expect(kubeconfigServer(EMBEDDED, OTHER_PEM)).toBe('https://10.0.2.2:6443 with other certificates');
  });

  it('gets another server without other changes and then trusts the certificates of the document', () => {
    const moved = repointKubeconfig(KUBECONFIG, 'https://10.0.0.9:6443');
    expect(moved).toBe(KUBECONFIG.replace('https://10.0.2.2:6443', 'https://10.0.0.9:6443'));
    const trusting = repointKubeconfig(EMBEDDED, 'https://10.0.0.9:6443');
    expect(trusting).toBe(moved);
    expect(kubeconfigServer(trusting, OTHER_PEM)).toBe('https://10.0.0.9:6443');
  });
});
