// cluster/local/authority.ts: who signs for whom in a local control plane? Makes what is missing, damaged or about to expire; the rest stays.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { type CertificateSubject, signCertificate } from '../../base/x509.ts';
import { readIfExists, writePrivate } from './cluster-files.ts';

/** Apart from the cluster's, or any node's certificate would open the database. */
const AUTHORITIES = ['ca', 'etcd-ca'] as const;
type Authority = (typeof AUTHORITIES)[number];

export interface AuthorityOptions {
  /** Under which guests of a pool see the API server. */
  guestAddress: string;
  nowMs: number;
}

interface Leaf {
  file: string;
  authority: Authority;
  subject: CertificateSubject;
  usage: readonly ('server' | 'client')[];
  names?: readonly string[];
  addresses?: readonly string[];
}

/** The name under which the API server asks kubelets; what it may do there is bound to it in node-roles.ts. */
export const KUBELET_CLIENT = 'kube-apiserver-kubelet-client';
export const SERVICE_RANGE = '10.96.0.0/16';

const LOOPBACK = { names: ['localhost'], addresses: ['127.0.0.1'] };

function leavesFor(guestAddress: string): Leaf[] {
  const client = (file: string, commonName: string, organization?: string): Leaf => ({
    file,
    authority: 'ca',
    subject: { commonName, ...(organization !== undefined && { organization }) },
    usage: ['client'],
  });
  return [
    {
      file: 'apiserver',
      authority: 'ca',
      subject: { commonName: 'kube-apiserver' },
      usage: ['server'],
      names: ['localhost', ...SERVICE_NAMES],
      addresses: ['127.0.0.1', guestAddress, FIRST_SERVICE],
    },
    { file: 'serving', authority: 'ca', subject: { commonName: 'control-plane' }, usage: ['server'], ...LOOPBACK },
    // It is a client of itself, too.
    {
      file: 'etcd',
      authority: 'etcd-ca',
      subject: { commonName: 'etcd' },
      usage: ['server', 'client'],
      ...LOOPBACK,
    },
    { file: 'etcd-client', authority: 'etcd-ca', subject: { commonName: 'kube-apiserver' }, usage: ['client'] },
    client('kubelet-client', KUBELET_CLIENT),
    client('admin', 'headstart-admin', 'system:masters'),
    client('controller-manager', 'system:kube-controller-manager'),
    client('scheduler', 'system:kube-scheduler'),
  ];
}

const SERVICE_NAMES = ['', '.default', '.default.svc', '.default.svc.cluster.local'].map((end) => `kubernetes${end}`);
const FIRST_SERVICE = '10.96.0.1';

const DAY_MS = 86_400_000;
const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;
/** All programs read their files again when they change, so a plane that is looked at now and then never runs out. */
const RENEW_DAYS = 90;
/** A guest's clock may be behind this machine's. */
const BACKDATED_MS = 3_600_000;

/** What `ensureAuthority` would make. */
export function certificatesToMake(folder: string, { guestAddress, nowMs }: AuthorityOptions): string[] {
  // Without its key an authority cannot be used, and making it says why.
  const signer = (name: Authority) =>
    readKey(join(folder, `${name}.key`)) && readCertificate(join(folder, `${name}.crt`));
  const signers = { ca: signer('ca'), 'etcd-ca': signer('etcd-ca') };
  const leaves = leavesFor(guestAddress).filter((leaf) => {
    const authority = signers[leaf.authority];
    return !authority || !isGood(folder, leaf, authority, nowMs);
  });
  return [
    ...(readKey(join(folder, ACCOUNT_KEY)) ? [] : ['service-account']),
    ...AUTHORITIES.filter((name) => !signers[name]),
    ...leaves.map(({ file }) => file),
  ];
}

/** Signs the tokens of service accounts. */
const ACCOUNT_KEY = 'service-account.key';

/** `folder` has for each name a `.crt` and a `.key`, and the key that signs the tokens of service accounts. Private keys are closed to others. */
export async function ensureAuthority(folder: string, { guestAddress, nowMs }: AuthorityOptions): Promise<void> {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!readKey(join(folder, ACCOUNT_KEY))) writePrivate(join(folder, ACCOUNT_KEY), newAccountKey());
  const authorities = {
    ca: await openAuthority(folder, 'ca', nowMs),
    'etcd-ca': await openAuthority(folder, 'etcd-ca', nowMs),
  };
  for (const leaf of leavesFor(guestAddress)) {
    const signer = authorities[leaf.authority];
    if (!isGood(folder, leaf, signer.certificate, nowMs)) await makeLeaf(folder, leaf, signer, nowMs);
  }
}

/** That signs the tokens of service accounts. PEM, in the form in which the API server also finds its public half. */
export function newAccountKey(): string {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  return privateKey.export({ type: 'sec1', format: 'pem' }).toString();
}

interface Signer {
  certificate: X509Certificate;
  subject: CertificateSubject;
  key: KeyObject;
}

async function openAuthority(folder: string, name: Authority, nowMs: number): Promise<Signer> {
  const subject = { commonName: name === 'ca' ? 'headstart-cluster' : 'headstart-etcd' };
  const [certificateFile, keyFile] = [join(folder, `${name}.crt`), join(folder, `${name}.key`)];
  if (readIfExists(certificateFile) !== undefined) {
    const [certificate, key] = [readCertificate(certificateFile), readKey(keyFile)];
    // Another authority would lock out every node that has joined: that is not for us to decide.
    if (!certificate || !key || !certificate.checkPrivateKey(key)) throw lostKey(folder, name);
    return { certificate, subject, key };
  }
  // A key that is there without its certificate: from a command that was killed, or what nodes trust. Either way it is the one.
  const privateKey = readKey(keyFile) ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const pem = await signCertificate({
    subject,
    publicKey: createPublicKey(privateKey),
    issuer: { subject, key: privateKey },
    notBeforeMs: nowMs - BACKDATED_MS,
    notAfterMs: nowMs + AUTHORITY_DAYS * DAY_MS,
    usage: 'authority',
  });
  // The certificate last: with it the authority is there.
  writePrivate(keyFile, pemOf(privateKey));
  writePrivate(certificateFile, pem);
  return { certificate: new X509Certificate(pem), subject, key: privateKey };
}

async function makeLeaf(folder: string, { file, ...leaf }: Leaf, signer: Signer, nowMs: number): Promise<void> {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certificate = await signCertificate({
    ...leaf,
    publicKey,
    issuer: signer,
    notBeforeMs: nowMs - BACKDATED_MS,
    notAfterMs: nowMs + LEAF_DAYS * DAY_MS,
  });
  writePrivate(join(folder, `${file}.key`), pemOf(privateKey));
  writePrivate(join(folder, `${file}.crt`), certificate);
}

/** Cut off between its two files, key and certificate do not belong together. */
function isGood(folder: string, { file, addresses = [] }: Leaf, authority: X509Certificate, nowMs: number): boolean {
  const certificate = readCertificate(join(folder, `${file}.crt`));
  const key = readKey(join(folder, `${file}.key`));
  if (!certificate || !key || !certificate.checkPrivateKey(key)) return false;
  if (!certificate.verify(authority.publicKey) || !addresses.every((ip) => certificate.checkIP(ip))) return false;
  return Date.parse(certificate.validTo) - nowMs > RENEW_DAYS * DAY_MS;
}

const pemOf = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString();

function readCertificate(path: string): X509Certificate | undefined {
  const pem = readIfExists(path);
  try {
    return pem === undefined ? undefined : new X509Certificate(pem);
  } catch {
    return undefined; // damaged is as good as missing
  }
}

function readKey(path: string): KeyObject | undefined {
  const pem = readIfExists(path);
  try {
    return pem === undefined ? undefined : createPrivateKey(pem);
  } catch {
    return undefined;
  }
}

function lostKey(folder: string, name: string): UserError {
  return new UserError(`${join(folder, `${name}.key`)} and ${name}.crt beside it do not belong together`, {
    code: 'cluster/lost-authority',
    kept: 'Nothing was changed.',
    next: 'put them back, or make the cluster anew: headstart cluster down --delete',
    exitCode: 1,
  });
}
