// sims/azure/service/certificate.ts: a certificate for loopback, made at start, since the SDK sends no token over plain HTTP.
import { generateKeyPairSync, randomBytes, sign } from 'node:crypto';

export interface LoopbackCertificate {
  certPem: string;
  keyPem: string;
}

/** Self-signed, so it is its own authority; the key lives as long as the process. */
export function makeLoopbackCertificate(): LoopbackCertificate {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const name = sequence(set(sequence(oid('2.5.4.3'), utf8('headstart azure simulator'))));
  const toBeSigned = sequence(
    tagged(0, integer(Buffer.from([2]))), // X.509 version 3
    integer(Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(0x17, '000101000000Z'), time(0x18, '99991231235959Z')),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    tagged(3, sequence(extension('2.5.29.19', sequence(TRUE)), extension('2.5.29.17', alternativeNames()))),
  );
  const signature = sign('sha256', toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, ECDSA_WITH_SHA256, bitString(signature));
  return { certPem: pem(certificate), keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

function alternativeNames(): Buffer {
  return sequence(
    der(0x82, Buffer.from('localhost')),
    der(0x87, Buffer.from([127, 0, 0, 1])),
    der(0x87, Buffer.from([...Array<number>(15).fill(0), 1])),
  );
}

function extension(id: string, value: Buffer): Buffer {
  return sequence(oid(id), der(0x04, value));
}

function pem(bytes: Buffer): string {
  const lines = bytes.toString('base64').match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`;
}

/** Tag, length, value: all of DER. */
function der(tag: number, ...values: Buffer[]): Buffer {
  const value = Buffer.concat(values);
  const size = value.length;
  const length = size < 0x80 ? [size] : size < 0x100 ? [0x81, size] : [0x82, size >> 8, size & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), value]);
}

function oid(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return der(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(value: number): number[] {
  const digits = [value & 0x7f];
  for (let left = value >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

const sequence = (...values: Buffer[]) => der(0x30, ...values);
const set = (...values: Buffer[]) => der(0x31, ...values);
const integer = (value: Buffer) => der(0x02, value);
const utf8 = (text: string) => der(0x0c, Buffer.from(text));
const time = (tag: number, text: string) => der(tag, Buffer.from(text));
const bitString = (value: Buffer) => der(0x03, Buffer.from([0]), value);
const tagged = (number: number, value: Buffer) => der(0xa0 + number, value);
const TRUE = der(0x01, Buffer.from([0xff]));
const ECDSA_WITH_SHA256 = sequence(oid('1.2.840.10045.4.3.2'));
