// cluster/local/kubeconfig.ts: how does a client find an API server, and as whom does it come? Pure. What it gives holds a secret, or names one.

export type ClientCredential =
  | { token: string }
  | { cert: string; key: string }
  /** Paths, which the client reads again when they change. */
  | { certFile: string; keyFile: string };

export interface KubeconfigSpec {
  url: string;
  /** PEM. */
  ca: string;
  namespace?: string;
  /** Of the cluster, its user and its context. */
  name?: string;
}

/** JSON, which is YAML. */
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
