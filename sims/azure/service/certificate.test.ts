import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeLoopbackCertificate } from './certificate.ts';

describe('the loopback certificate', () => {
  const { certPem, keyPem } = makeLoopbackCertificate();
  const certificate = new X509Certificate(certPem);

  it('is its own authority and signs itself', () => {
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
  });

  it('speaks for loopback and for nothing else', () => {
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkHost('management.azure.com')).toBeUndefined();
  });

  it('is another one each time', () => {
    expect(makeLoopbackCertificate().certPem).not.toBe(certPem);
  });
});
