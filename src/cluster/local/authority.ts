// cluster/local/authority.ts: the certificates of a local control plane. Creates those that are missing, damaged or about to expire.
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { UserError } from '../../base/errors.ts';
import { type CertificateSubject, signCertificate } from '../../base/x509.ts';
import { readIfExists, writePrivate } from './cluster-files.ts';

/** etcd has its own authority, because otherwise any node's certificate would give access to the database. */
const AUTHORITIES = ['ca', 'etcd-ca'] as const;
type Authority = (typeof AUTHORITIES)[number];

export interface AuthorityOptions {
  /** The address of the API server in the guests of a pool. */
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

/** The API server's user name towards kubelets; node-roles.ts binds its rights. */
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
    // etcd is also a client of itself.
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
/** All programs reload changed files, so certificates never expire if `cluster up` runs now and then. */
const RENEW_DAYS = 90;
/** A guest's clock may be behind this machine's. */
const BACKDATED_MS = 3_600_000;

/** The files that `ensureAuthority` would create. */
export function certificatesToMake(folder: string, { guestAddress, nowMs }: AuthorityOptions): string[] {
  // An authority without its key cannot be used; ensureAuthority reports the reason.
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

/** Creates a `.crt` and a `.key` for each name, and the key for service account tokens. Only this user can read private keys. */
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

/** Signs service account tokens. PEM in SEC1 form, from which the API server can also read the public key. */
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
    // A new authority would lock out every node that has joined, so the user has to decide.
    if (!certificate || !key || !certificate.checkPrivateKey(key)) throw lostKey(folder, name);
    return { certificate, subject, key };
  }
  // A key without its certificate is from a killed command, or nodes trust it. Use it in both cases.
  const privateKey = readKey(keyFile) ?? generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const pem = await signCertificate({
    subject,
    publicKey: createPublicKey(privateKey),
    issuer: { subject, key: privateKey },
    notBeforeMs: nowMs - BACKDATED_MS,
    notAfterMs: nowMs + AUTHORITY_DAYS * DAY_MS,
    usage: 'authority',
  });
  // The certificate is written last: it marks the authority as complete.
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

/** After a crash between the two writes, key and certificate do not match. */
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
    return undefined; // damaged counts as missing
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
  return new UserError(`${join(folder, `${name}.key`)} and ${name}.crt next to it do not match`, {
    code: 'cluster/lost-authority',
    kept: 'Nothing was changed.',
    next: 'restore them, or delete the cluster and create it again: headstart cluster down --delete',
    exitCode: 1,
  });
}
