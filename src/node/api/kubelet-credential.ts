// node/api/kubelet-credential.ts: which credential and which CA does this node use for its API server? Those in
// kubelet's kubeconfig: a client certificate or a token. Exec plugins are not supported, and the server must have a
// certificate that can be verified.
import { X509Certificate } from 'node:crypto';
import { Secret } from '../../base/secret.ts';
import { isObject, type Json, type JsonObject } from '../../schema/json.ts';
import { parseText } from '../document/parse-text.ts';

export interface KubeletCredential {
  server: string;
  /** PEM; undefined: the trust store of the machine. */
  authority: string | undefined;
  /** The name in the server's certificate, if it differs from the address. */
  serverName: string | undefined;
  /** The Node that the credential belongs to. */
  nodeName: string;
  proof: { kind: 'certificate'; certificate: string; key: Secret } | { kind: 'token'; token: Secret };
}

export interface KubeconfigSources {
  kubeconfig: string | undefined;
  /** Takes absolute paths of the node. */
  readText(path: string): string | undefined;
  /** The name of the Node if the credential does not contain one. */
  hostName: string | undefined;
}

/** `why` is a short reason that quotes nothing of the kubeconfig. */
export async function readKubeletCredential(sources: KubeconfigSources): Promise<KubeletCredential | { why: string }> {
  const { kubeconfig, readText, hostName } = sources;
  if (kubeconfig === undefined) return { why: 'kubelet has no kubeconfig yet' };
  const parsed = await parseText(kubeconfig);
  if ('problem' in parsed || !isObject(parsed.value)) return { why: "kubelet's kubeconfig is not valid" };
  const { cluster, user } = current(parsed.value);
  if (cluster === undefined || user === undefined) return { why: "kubelet's kubeconfig has no current context" };

  const server = text(cluster.server);
  if (server === undefined || !/^https:\/\/[^\s/?#@]+\/?$/.test(server))
    return { why: "the server in kubelet's kubeconfig is not an https address" };
  if (cluster['insecure-skip-tls-verify'] === true) return { why: "kubelet's kubeconfig disables TLS verification" };
  if (text(cluster['proxy-url']) !== undefined)
    return { why: "kubelet's kubeconfig uses a proxy, which is not supported" };

  const proof = proofOf(user, readText);
  if (proof === undefined) return { why: 'kubelet has no certificate and no token' };
  const nodeName = (proof.kind === 'certificate' ? nameIn(proof.certificate) : undefined) ?? hostName;
  if (nodeName === undefined || !/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/.test(nodeName)) {
    return { why: "kubelet's credential has no valid Node name" };
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
  // kubelet replaces the file that contains both, so two reads could return a mismatched pair.
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
  // A line feed in the token would inject a header.
  return token !== undefined && /^[\x21-\x7e]+$/.test(token) ? { kind: 'token', token: new Secret(token) } : undefined;
}

/** kubelet keeps the key in the same file; only the certificate may be printed. */
function certificatesIn(pem: string | undefined): string | undefined {
  const blocks = pem?.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g);
  return blocks ? `${blocks.join('\n')}\n` : undefined;
}

/** `key-data` in base64, or the file that `key` names. kubelet has the same preference. */
function content(from: JsonObject, key: string, readText: KubeconfigSources['readText']): string | undefined {
  const embedded = text(from[`${key}-data`]);
  if (embedded !== undefined) return Buffer.from(embedded, 'base64').toString('utf8');
  const path = text(from[key]);
  return path === undefined ? undefined : readText(path);
}

/** The API server authorises by this name, not by the host name. */
function nameIn(certificate: string): string | undefined {
  try {
    return /^CN=system:node:(\S+)$/m.exec(new X509Certificate(certificate).subject)?.[1];
  } catch {
    return undefined; // the request will fail with the reason
  }
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
