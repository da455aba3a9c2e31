import { createPrivateKey, X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeLoopbackCertificate } from './certificate.ts';

const { certPem, keyPem } = await makeLoopbackCertificate();
const certificate = new X509Certificate(certPem);

describe('the loopback certificate', () => {
  it('is its own authority and signs itself', () => {
    expect(certificate.ca).toBe(true);
    expect(certificate.verify(certificate.publicKey)).toBe(true);
    expect(certificate.checkPrivateKey(createPrivateKey(keyPem))).toBe(true);
  });

  it('is valid for loopback only', () => {
    expect(certificate.checkIP('127.0.0.1')).toBe('127.0.0.1');
    expect(certificate.checkIP('::1')).toBe('::1');
    expect(certificate.checkHost('localhost')).toBe('localhost');
    expect(certificate.checkHost('management.azure.com')).toBeUndefined();
  });

  it('is valid on any day a virtual clock can be set to', () => {
    expect(Date.parse(certificate.validFrom)).toBe(Date.UTC(2000, 0));
    expect(Date.parse(certificate.validTo)).toBe(Date.UTC(9999, 11, 31, 23, 59, 59));
  });

  it('is different each time', async () => {
    expect((await makeLoopbackCertificate()).certPem).not.toBe(certPem);
  });
});
