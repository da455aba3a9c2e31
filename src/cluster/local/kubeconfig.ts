// cluster/local/kubeconfig.ts: renders a kubeconfig. Pure. The result contains a secret or the path of one.

export type ClientCredential =
  | { token: string }
  | { cert: string; key: string }
  /** Paths; the client reloads the files when they change. */
  | { certFile: string; keyFile: string };

export interface KubeconfigSpec {
  url: string;
  /** PEM. */
  ca: string;
  namespace?: string;
  /** Name of the cluster, the user and the context. */
  name?: string;
}

/** JSON, which is valid YAML. */
export function renderKubeconfig({
  url,
  ca,
  namespace,
  name = 'local',
  ...credential
}: KubeconfigSpec & ClientCredential) {
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name, cluster: { server: url, 'certificate-authority-data': base64(ca) } }],
    users: [{ name, user: userOf(credential) }],
    contexts: [{ name, context: { cluster: name, user: name, ...(namespace && { namespace }) } }],
    'current-context': name,
  });
}

function userOf(credential: ClientCredential): object {
  if ('token' in credential) return { token: credential.token };
  if ('certFile' in credential) return { 'client-certificate': credential.certFile, 'client-key': credential.keyFile };
  return { 'client-certificate-data': base64(credential.cert), 'client-key-data': base64(credential.key) };
}

const base64 = (text: string) => Buffer.from(text).toString('base64');
