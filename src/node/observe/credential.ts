// node/observe/credential.ts: does kubelet have its own credential, and is it still valid? The same check as kubelet makes before it
// falls back to the bootstrap credential: the certificates in its kubeconfig, none of them expired.
import { X509Certificate } from 'node:crypto';

export interface KubeletCredentialSources {
  kubeconfig: string | undefined;
  readText(path: string): string | undefined;
  nowMs: number;
}

export function hasCredential({ kubeconfig, readText, nowMs }: KubeletCredentialSources): boolean {
  if (kubeconfig === undefined) return false;
  const embedded = /^\s*(?:- )?client-certificate-data: *(\S+)/m.exec(kubeconfig)?.[1];
  const path = /^\s*(?:- )?client-certificate: *(\S+)/m.exec(kubeconfig)?.[1];
  const pem = embedded === undefined ? path && readText(path) : Buffer.from(embedded, 'base64').toString();
  const blocks = pem?.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  return blocks.length > 0 && blocks.every((block) => isValid(block, nowMs));
}

function isValid(block: string, nowMs: number): boolean {
  try {
    return new X509Certificate(block).validToDate.getTime() > nowMs;
  } catch {
    return false;
  }
}
