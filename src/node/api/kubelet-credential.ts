// node/api/kubelet-credential.ts: as whom does this node speak to its API server, and how does it know that server? What kubelet's own
// kubeconfig says: a certificate kubelet was given, or a token. Nothing is run for it, and nothing is believed without a certificate.
import { X509Certificate } from 'node:crypto';
import { Secret } from '../../base/secret.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { parseText } from '../document/parse-text.ts';

export interface KubeletCredential {
  server: string;
  /** PEM; undefined: what the machine trusts. */
  authority: string | undefined;
  /** Another name than the one in the address that the server's certificate is for. */
  serverName: string | undefined;
  /** Of the Node that this credential is for. */
  nodeName: string;
  proof: { kind: 'certificate'; certificate: string; key: Secret } | { kind: 'token'; token: Secret };
}

export interface KubeconfigSources {
  kubeconfig: string | undefined;
  /** Absolute paths, as the node sees them. */
  readText(path: string): string | undefined;
  /** For a credential that does not say whose it is. */
  hostName: string | undefined;
}

/** Or why there is none, in a few words that quote nothing of it. */
export async function readKubeletCredential(sources: KubeconfigSources): Promise<KubeletCredential | { why: string }> {
  const { kubeconfig, readText, hostName } = sources;
  if (kubeconfig === undefined) return { why: 'kubelet has no kubeconfig yet' };
  const parsed = await parseText(kubeconfig);
  if ('problem' in parsed || !isObject(parsed.value)) return { why: "kubelet's kubeconfig cannot be read" };
  const { cluster, user } = current(parsed.value);
  if (cluster === undefined || user === undefined) return { why: "kubelet's kubeconfig has no current context" };

  const server = text(cluster.server);
  if (server === undefined || !/^https:\/\/[^\s/?#@]+\/?$/.test(server))
    return { why: 'the server is not an https address' };
  if (cluster['insecure-skip-tls-verify'] === true) return { why: 'the server would not be verified' };
  if (text(cluster['proxy-url']) !== undefined) return { why: 'the server is behind a proxy' };

  const proof = proofOf(user, readText);
  if (proof === undefined) return { why: 'kubelet has no certificate and no token' };
  const nodeName = (proof.kind === 'certificate' ? nameIn(proof.certificate) : undefined) ?? hostName;
  if (nodeName === undefined || !/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/.test(nodeName)) {
    return { why: 'the credential does not say which Node it is for' };
  }
  return {
    server: server.replace(/\/$/, ''),
    authority: content(cluster, 'certificate-authority', readText),
    serverName: text(cluster['tls-server-name']),
    nodeName,
    proof,
  };
}

function current(config: JsonObject): { cluster: JsonObject | undefined; user: JsonObject | undefined } {
  const context = named(config.contexts, config['current-context'], 'context');
  return {
    cluster: context && named(config.clusters, context.cluster, 'cluster'),
    user: context && named(config.users, context.user, 'user'),
  };
}

function named(list: Json | undefined, name: Json | undefined, key: string): JsonObject | undefined {
  const entries = Array.isArray(list) ? list.filter(isObject) : [];
  const found = entries.find((entry) => entry.name === name)?.[key];
  return isObject(found) ? found : undefined;
}

function proofOf(user: JsonObject, readText: KubeconfigSources['readText']): KubeletCredential['proof'] | undefined {
  // kubelet replaces the file that holds both: two reads could be of two pairs.
  const texts = new Map<string, string | undefined>();
  const readOnce = (path: string) => {
    if (!texts.has(path)) texts.set(path, readText(path));
    return texts.get(path);
  };
  const certificate = certificatesIn(content(user, 'client-certificate', readOnce));
  const key = content(user, 'client-key', readOnce);
  if (certificate !== undefined && key !== undefined) return { kind: 'certificate', certificate, key: new Secret(key) };
  const tokenFile = text(user.tokenFile);
  const token = (tokenFile === undefined ? undefined : readText(tokenFile)?.trim()) ?? text(user.token);
  // A line feed in it would be a header of its own.
  return token !== undefined && /^[\x21-\x7e]+$/.test(token) ? { kind: 'token', token: new Secret(token) } : undefined;
}

/** kubelet keeps its key in the same file; it stays out of what may be printed. */
function certificatesIn(pem: string | undefined): string | undefined {
  const blocks = pem?.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  return blocks ? `${blocks.join('\n')}\n` : undefined;
}

/** `key-data` in base64, or the file that `key` names; kubelet prefers the first, too. */
function content(from: JsonObject, key: string, readText: KubeconfigSources['readText']): string | undefined {
  const embedded = text(from[`${key}-data`]);
  if (embedded !== undefined) return Buffer.from(embedded, 'base64').toString('utf8');
  const path = text(from[key]);
  return path === undefined ? undefined : readText(path);
}

/** The API server goes by this name, too, whatever the machine is called. */
function nameIn(certificate: string): string | undefined {
  try {
    return /^CN=system:node:(\S+)$/m.exec(new X509Certificate(certificate).subject)?.[1];
  } catch {
    return undefined; // whoever uses it will hear what is wrong with it
  }
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
