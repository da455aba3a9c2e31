// base/x509.ts: how is a certificate created and signed (RFC 5280)? Node reads X.509 but cannot create it. The library that can takes
// 0.1 s to load, so it is loaded with the first certificate. Pure except for the random serial number.
import { createHash, createPublicKey, type KeyObject, randomBytes } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';
import type { Extension, JsonGeneralNames, KeyUsageFlags, Name } from '@peculiar/x509';

export interface CertificateSubject {
  commonName: string;
  /** A group in Kubernetes. */
  organization?: string;
}

export interface CertificateSpec {
  subject: CertificateSubject;
  publicKey: KeyObject;
  issuer: { subject: CertificateSubject; key: KeyObject };
  notBeforeMs: number;
  notAfterMs: number;
  /** `unlimited`: an authority that is also a server; for self-signed certificates that live as long as a process. */
  usage: 'authority' | 'unlimited' | readonly ('server' | 'client')[];
  names?: readonly string[];
  addresses?: readonly string[];
}

type Library = typeof import('@peculiar/x509');

/** Returns PEM. Both keys must use the curve P-256. */
export async function signCertificate(spec: CertificateSpec): Promise<string> {
  const { subject, publicKey, issuer, notBeforeMs, notAfterMs } = spec;
  const x509 = await loadLibrary();
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    issuer: nameOf(issuer.subject, x509),
    notBefore: new Date(notBeforeMs),
    notAfter: new Date(notAfterMs),
    subject: nameOf(subject, x509),
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
    signingKey: await signingKey(issuer.key),
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: extensionsOf(spec, x509),
  });
  return `${certificate.toString('pem')}\n`;
}

async function loadLibrary(): Promise<Library> {
  await import('reflect-metadata'); // required by the library, but not one of its dependencies
  return await import('@peculiar/x509');
}

function signingKey(key: KeyObject): Promise<CryptoKey> {
  const bytes = key.export({ type: 'pkcs8', format: 'der' });
  return crypto.subtle.importKey('pkcs8', bytes, { name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign']);
}

function extensionsOf(spec: CertificateSpec, x509: Library): Extension[] {
  const { usage, publicKey, issuer, names = [], addresses = [] } = spec;
  const others: JsonGeneralNames = [
    ...names.map((value) => ({ type: 'dns' as const, value })),
    ...addresses.map((ip) => ({ type: 'ip' as const, value: plainAddress(ip) })),
  ];
  const alternativeNames = others.length > 0 ? [new x509.SubjectAlternativeNameExtension(others)] : [];
  if (usage === 'unlimited') return [new x509.BasicConstraintsExtension(true), ...alternativeNames];
  const isAuthority = usage === 'authority';
  return [
    new x509.BasicConstraintsExtension(isAuthority, undefined, true),
    new x509.KeyUsagesExtension(keyUsages(isAuthority, x509), true),
    ...(isAuthority ? [] : [new x509.ExtendedKeyUsageExtension(usage.map((one) => purposeOf(one, x509)))]),
    new x509.SubjectKeyIdentifierExtension(keyId(publicKey)),
    new x509.AuthorityKeyIdentifierExtension(keyId(createPublicKey(issuer.key))),
    ...alternativeNames,
  ];
}

function keyUsages(isAuthority: boolean, { KeyUsageFlags }: Library): KeyUsageFlags {
  const { digitalSignature, keyCertSign, cRLSign } = KeyUsageFlags;
  return isAuthority ? digitalSignature | keyCertSign | cRLSign : digitalSignature;
}

const purposeOf = (usage: 'server' | 'client', { ExtendedKeyUsage }: Library) =>
  usage === 'server' ? ExtendedKeyUsage.serverAuth : ExtendedKeyUsage.clientAuth;

function nameOf({ organization, commonName }: CertificateSubject, x509: Library): Name {
  const part = (name: string, utf8String: string) => ({ [name]: [{ utf8String }] });
  const parts = [...(organization === undefined ? [] : [part('O', organization)]), part('CN', commonName)];
  return new x509.Name(parts);
}

/** Hexadecimal; RFC 5280 requires a positive number of at most 20 octets. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes.toString('hex');
}

/** Hexadecimal. Not the library's SHA-1: existing authority certificates use this id. */
const keyId = (key: KeyObject) =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('hex')
    .slice(0, 40);

/** The library does not accept dots in an IPv6 address. */
function plainAddress(ip: string): string {
  if (isIPv4(ip)) return ip;
  if (!isIPv6(ip) || ip.includes('%')) throw new RangeError(`not an address: ${ip}`);
  return new URL(`http://[${ip}]`).hostname.slice(1, -1);
}
