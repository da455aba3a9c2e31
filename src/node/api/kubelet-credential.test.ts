import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readKubeletCredential } from './kubelet-credential.ts';

const fixture = (name: string) => readFileSync(new URL(`../fixtures/tls/${name}`, import.meta.url), 'utf8');
const [certificate, key, authority] = [fixture('node.crt'), fixture('node.key'), fixture('server.crt')];
const pem = `${certificate}${key}`;

/** kubelet writes certificate and key to one file and links to it. */
const written = `apiVersion: v1
clusters:
- cluster:
    certificate-authority: /etc/kubernetes/pki/ca.crt
    server: https://10.0.0.1:6443
  name: default-cluster
contexts:
- context:
    cluster: default-cluster
    namespace: default
    user: default-auth
  name: default-context
current-context: default-context
kind: Config
users:
- name: default-auth
  user:
    client-certificate: /var/lib/kubelet/pki/kubelet-client-current.pem
    client-key: /var/lib/kubelet/pki/kubelet-client-current.pem
`;
const files: Record<string, string> = {
  '/etc/kubernetes/pki/ca.crt': authority,
  '/var/lib/kubelet/pki/kubelet-client-current.pem': pem,
  '/run/token': 'abc.def\n',
};
const read = (kubeconfig: string | undefined, hostName: string | undefined = undefined) =>
  readKubeletCredential({ kubeconfig, readText: (path) => files[path], hostName });

describe("kubelet's credential", () => {
  it("is read from kubelet's files and has the name of the Node", async () => {
    const found = await read(written, 'another-name');
    expect(found).toMatchObject({
      server: 'https://10.0.0.1:6443',
      authority,
      nodeName: 'pool1-000003',
      proof: { kind: 'certificate', certificate },
    });
    expect(JSON.stringify(found)).not.toContain(key.split('\n')[1]!);
  });

  it('has matching certificate and key, even if kubelet replaces the file meanwhile', async () => {
    let reads = 0;
    const readText = (path: string) => (path.endsWith('.pem') ? `${certificate}key ${++reads}` : files[path]);
    const found = await readKubeletCredential({ kubeconfig: written, readText, hostName: undefined });
    expect([reads, 'proof' in found && found.proof.kind === 'certificate' && found.proof.key.reveal()]).toEqual([
      1,
      `${certificate}key 1`,
    ]);
  });

  it('can be embedded in the kubeconfig, or be a token', async () => {
    const data = (text: string) => Buffer.from(text).toString('base64');
    const embedded = written
      .replace(/certificate-authority: .*/, `certificate-authority-data: ${data(authority)}`)
      .replace(/client-certificate: .*/, `client-certificate-data: ${data(certificate)}`)
      .replace(/client-key: .*/, `client-key-data: ${data(key)}`);
    expect(await read(embedded)).toMatchObject({ authority, nodeName: 'pool1-000003' });
    const token = written.replace(/client-certificate: .*\n.*/, 'tokenFile: /run/token');
    expect(await read(token, 'pool1-000004')).toMatchObject({ nodeName: 'pool1-000004', proof: { kind: 'token' } });
  });

  it.each([
    ['kubelet has no kubeconfig yet', undefined, 'no kubeconfig yet'],
    ['the kubeconfig is truncated', written.slice(0, 60), 'is not valid|no current context'],
    ['the kubeconfig is not YAML', '{{{', 'is not valid'],
    ['no context is chosen', written.replace('current-context: default-context', ''), 'no current context'],
    ['the server does not use https', written.replace('https://', 'http://'), 'not an https address'],
    ['the server has a path', written.replace(':6443', ':6443/a/b'), 'not an https address'],
    [
      'TLS verification is disabled',
      written.replace('    server', '    insecure-skip-tls-verify: true\n    server'),
      'disables TLS verification',
    ],
    ['it requires a proxy', written.replace('    server', '    proxy-url: http://proxy\n    server'), 'proxy'],
    [
      'it requires an exec plugin',
      written.replace(/client-certificate: .*\n.*/, 'exec: {command: /bin/x}'),
      'no certificate and no token',
    ],
    [
      'the certificate file is missing',
      written.replaceAll('kubelet-client-current', 'gone'),
      'no certificate and no token',
    ],
    [
      'the name of the Node is unknown',
      written.replace(/client-certificate: .*\n.*/, 'token: abc'),
      'no valid Node name',
    ],
    [
      'a token would add a header',
      written.replace(/client-certificate: .*\n.*/, 'token: "a\\r\\nX: y"'),
      'no certificate and no token',
    ],
  ])('is not used if %s', async (_, kubeconfig, why) => {
    expect(await read(kubeconfig)).toEqual({ why: expect.stringMatching(why) });
  });

  it('is a credential or a reason, for any content of the file', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.string(),
          fc.json(),
          fc.nat(written.length).map((at) => written.slice(0, at)),
        ),
        async (text) => {
          const found = await read(text, 'a');
          expect('why' in found || found.server.startsWith('https://')).toBe(true);
        },
      ),
    );
  });
});
