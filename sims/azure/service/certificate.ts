// sims/azure/service/certificate.ts: a certificate for loopback, made at start, because the SDK sends no token over plain HTTP.
import { generateKeyPairSync } from 'node:crypto';
import { signCertificate } from '../../../src/base/x509.ts';

export interface LoopbackCertificate {
  certPem: string;
  keyPem: string;
}

const SUBJECT = { commonName: 'headstart azure simulator' };

/** Self-signed, so it is its own authority; the key lives as long as the process. `address`: one more. */
export async function makeLoopbackCertificate(address = '127.0.0.1'): Promise<LoopbackCertificate> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const certPem = await signCertificate({
    subject: SUBJECT,
    publicKey,
    issuer: { subject: SUBJECT, key: privateKey },
    // The simulator's clock is virtual and may be set to any day.
    notBeforeMs: Date.UTC(2000, 0),
    notAfterMs: Date.UTC(9999, 11, 31, 23, 59, 59),
    usage: 'unlimited',
    names: ['localhost'],
    addresses: [...new Set([address, '127.0.0.1', '::1'])],
  });
  return { certPem, keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
