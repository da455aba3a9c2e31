// node/observe/credential.ts: has kubelet a credential of its own that is still good? Asked the way kubelet asks itself before it uses
// the first one it was given: the certificates its kubeconfig names, none of them ended.
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
  return blocks.length > 0 && blocks.every((block) => isGood(block, nowMs));
}

function isGood(block: string, nowMs: number): boolean {
  try {
    return new X509Certificate(block).validToDate.getTime() > nowMs;
  } catch {
    return false;
  }
}
