// base/x509.ts: how is a certificate written and signed (RFC 5280)? Node reads X.509 but does not write it. The library for it loads in 110 ms
// and brings 19 packages, for the few fields that a control plane and a simulator need. Pure but for the random serial number.
import { createHash, createPublicKey, type KeyObject, randomBytes, sign } from 'node:crypto';
import { isIPv4, isIPv6 } from 'node:net';

export interface Subject {
  commonName: string;
  /** What Kubernetes takes for a group. */
  organization?: string;
}

export interface CertificateSpec {
  subject: Subject;
  publicKey: KeyObject;
  issuer: { subject: Subject; key: KeyObject };
  notBeforeMs: number;
  notAfterMs: number;
  /** `unlimited`: an authority that is also a server, for what signs itself and lives as long as a process. */
  usage: 'authority' | 'unlimited' | readonly ('server' | 'client')[];
  names?: readonly string[];
  addresses?: readonly string[];
}

/** PEM. Both keys are of the curve P-256. */
export function signCertificate(spec: CertificateSpec): string {
  const { issuer } = spec;
  const tbs = sequence(
    tagged(0, integer(Buffer.from([2]))), // version 3
    integer(serialNumber()),
    ECDSA_WITH_SHA256,
    nameOf(issuer.subject),
    sequence(time(spec.notBeforeMs), time(spec.notAfterMs)),
    nameOf(spec.subject),
    spec.publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(...extensionsOf(spec))),
  );
  const certificate = sequence(tbs, ECDSA_WITH_SHA256, bitString(sign('sha256', tbs, issuer.key)));
  const lines = certificate.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}

function extensionsOf({ usage, publicKey, issuer, names = [], addresses = [] }: CertificateSpec): Buffer[] {
  const others = [...names.map((name) => der(0x82, ascii(name))), ...addresses.map((ip) => der(0x87, bytesOf(ip)))];
  const alternativeNames = others.length > 0 ? [extension('2.5.29.17', sequence(...others))] : [];
  if (usage === 'unlimited') return [extension(BASIC_CONSTRAINTS, sequence(TRUE)), ...alternativeNames];
  const isAuthority = usage === 'authority';
  return [
    critical(BASIC_CONSTRAINTS, isAuthority ? sequence(TRUE) : sequence()),
    critical('2.5.29.15', isAuthority ? SIGNS_CERTIFICATES : SIGNS),
    ...(isAuthority ? [] : [extension('2.5.29.37', sequence(...usage.map((one) => PURPOSES[one])))]),
    extension('2.5.29.14', octets(keyId(publicKey))),
    extension('2.5.29.35', sequence(der(0x80, keyId(createPublicKey(issuer.key))))),
    ...alternativeNames,
  ];
}

function nameOf({ organization, commonName }: Subject): Buffer {
  const part = (id: string, text: string) => der(0x31, sequence(oid(id), der(0x0c, Buffer.from(text))));
  return sequence(...(organization === undefined ? [] : [part('2.5.4.10', organization)]), part('2.5.4.3', commonName));
}

/** Two digits of the year are meant for 1950 to 2049 only. */
function time(ms: number): Buffer {
  const digits = new Date(ms).toISOString().replace(/\.\d+Z$|[-:T]/g, '');
  return Number(digits.slice(0, 4)) < 2050 ? der(0x17, ascii(`${digits.slice(2)}Z`)) : der(0x18, ascii(`${digits}Z`));
}

/** Positive, never zero, at most twenty octets. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16);
  bytes[0] = (bytes[0]! & 0x7f) | 0x40;
  return bytes;
}

const keyId = (key: KeyObject) =>
  createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest()
    .subarray(0, 20);

function bytesOf(ip: string): Buffer {
  if (isIPv4(ip)) return Buffer.from(ip.split('.').map(Number));
  if (!isIPv6(ip) || ip.includes('%')) throw new RangeError(`not an address: ${ip}`);
  // The URL parser writes eight groups in hexadecimal, the longest run of zeros as '::'.
  const [head = [], tail = []] = new URL(`http://[${ip}]`).hostname
    .slice(1, -1)
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''));
  const groups = [...head, ...Array<string>(8 - head.length - tail.length).fill('0'), ...tail];
  return Buffer.from(groups.map((group) => group.padStart(4, '0')).join(''), 'hex');
}

function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  if (body.length < 0x80) return Buffer.concat([Buffer.from([tag, body.length]), body]);
  const length = Buffer.from(body.length.toString(16).padStart(body.length > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, body]);
}

const sequence = (...parts: readonly Uint8Array[]) => der(0x30, ...parts);
const tagged = (number: number, part: Uint8Array) => der(0xa0 | number, part);
const integer = (bytes: Uint8Array) => der(0x02, bytes);
const octets = (bytes: Uint8Array) => der(0x04, bytes);
const bitString = (bytes: Uint8Array) => der(0x03, Buffer.from([0]), bytes);
const ascii = (text: string) => Buffer.from(text, 'latin1');
const extension = (id: string, value: Uint8Array) => sequence(oid(id), octets(value));
const critical = (id: string, value: Uint8Array) => sequence(oid(id), TRUE, octets(value));

function oid(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >>> 7; left > 0; left >>>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

const TRUE = Buffer.from([0x01, 0x01, 0xff]);
const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
/** Digital signatures, and for an authority certificates and lists of revoked ones; the first byte counts the unused bits. */
const SIGNS = Buffer.from([0x03, 0x02, 0x07, 0x80]);
const SIGNS_CERTIFICATES = Buffer.from([0x03, 0x02, 0x01, 0x86]);
const BASIC_CONSTRAINTS = '2.5.29.19';
const PURPOSES = { server: oid('1.3.6.1.5.5.7.3.1'), client: oid('1.3.6.1.5.5.7.3.2') };
