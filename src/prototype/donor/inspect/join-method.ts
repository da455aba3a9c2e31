// prototype/donor/inspect/join-method.ts: how would a clone of this donor join the cluster?
import { X509Certificate } from 'node:crypto';
import type { DonorCredential, Inspection } from './inspection.ts';

export type JoinMethod =
  | { kind: 'shared-certificate'; file: string; subject: string; expiresMs: number }
  | { kind: 'shared-token'; file: string; expiresMs?: number }
  /** With an id, the Secret bootstrap-token-<id> in kube-system has its expiry. */
  | { kind: 'bootstrap-token'; file: string; tokenId?: string; expiresMs?: number }
  | { kind: 'exec-credential'; file: string; command: string }
  | { kind: 'metadata'; unit: string }
  /** systemd gets it from the VM, for one start only. */
  | { kind: 'given-credential'; file: string }
  /** The credentials that were checked, each with the reason why it cannot be used. */
  | { kind: 'none'; reasons: string[] };

export interface JoinContext {
  /** The donor's name in Kubernetes. */
  nodeName: string;
  nowMs: number;
  /** Each instance gets a credential when it starts. */
  givesCredentials?: boolean;
}

/**
 * In kubelet's order: its kubeconfig if that is valid, otherwise the bootstrap kubeconfig. The donor's own certificate does not
 * count: the clone check removes it.
 */
export function joinMethod(inspection: Inspection, context: JoinContext): JoinMethod {
  const names = new Set([context.nodeName, inspection.hostname, inspection.hostname.split('.')[0]!].map(lower));
  const reasons: string[] = [];
  for (const role of ['kubeconfig', 'bootstrap-kubeconfig'] as const) {
    for (const credential of inspection.credentials.filter((seen) => seen.role === role)) {
      const method = methodOf(credential, names, context);
      if (typeof method !== 'string') return method;
      reasons.push(`${credential.file}: ${method}`);
    }
  }
  const unit = inspection.joinUnits[0];
  if (unit !== undefined) return { kind: 'metadata', unit };
  if (reasons.length === 0) reasons.push('kubelet has neither a kubeconfig nor a bootstrap kubeconfig');
  return { kind: 'none', reasons };
}

const SYSTEMD_CREDENTIALS = '/run/credentials/';

/** A string is the reason why the credential cannot be used. */
function methodOf(
  credential: DonorCredential,
  names: ReadonlySet<string>,
  { nowMs, givesCredentials }: JoinContext,
): JoinMethod | string {
  const { file } = credential;
  // The credential of this start may have expired or been revoked; a clone gets its own.
  if (givesCredentials && file.startsWith(SYSTEMD_CREDENTIALS)) return { kind: 'given-credential', file };
  switch (credential.kind) {
    case 'certificate':
      return fromCertificate(file, credential.der, names, nowMs);
    case 'token': {
      const { tokenId, expiresMs } = credential;
      if (expiresMs !== undefined && expiresMs <= nowMs)
        return `its token expired at ${new Date(expiresMs).toISOString()}`;
      const ends = expiresMs === undefined ? {} : { expiresMs };
      if (tokenId !== undefined) return { kind: 'bootstrap-token', file, tokenId, ...ends };
      return { kind: credential.role === 'kubeconfig' ? 'shared-token' : 'bootstrap-token', file, ...ends };
    }
    case 'exec':
      return { kind: 'exec-credential', file, command: credential.command };
    case 'missing':
      return `${credential.path}, which it refers to, does not exist`;
    case 'nothing':
      return 'it has no credential';
  }
}

function fromCertificate(file: string, der: Buffer, names: ReadonlySet<string>, nowMs: number): JoinMethod | string {
  const certificate = readCertificate(der);
  if (certificate === undefined) return 'its certificate cannot be read';
  const subject = certificate.subject.split('\n').join(', ');
  const commonName = /^CN=(.+)$/m.exec(certificate.subject)?.[1] ?? '';
  const node = /^system:node:(.+)$/.exec(commonName)?.[1];
  if (node !== undefined && names.has(lower(node))) return `its certificate (${subject}) is this node's own`;
  const expiresMs = Date.parse(certificate.validTo);
  if (expiresMs <= nowMs) return `its certificate (${subject}) expired at ${new Date(expiresMs).toISOString()}`;
  return { kind: 'shared-certificate', file, subject, expiresMs };
}

function readCertificate(der: Buffer): X509Certificate | undefined {
  try {
    return new X509Certificate(der);
  } catch {
    return undefined;
  }
}

function lower(name: string): string {
  return name.toLowerCase();
}
