import { createHash, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CertificateSpec, signCertificate } from './x509.ts';

const pair = () => generateKeyPairSync('ec', { namedCurve: 'P-256' });
const [authority, leaf] = [pair(), pair()];
const issuer = { subject: { commonName: 'the authority' }, key: authority.privateKey };
const NOW_MS = Date.UTC(2026, 10, 16, 9);

const make = async (more: Partial<CertificateSpec>) =>
  new X509Certificate(
    await signCertificate({
      subject: { commonName: 'leaf' },
      publicKey: leaf.publicKey,
      issuer,
      notBeforeMs: NOW_MS,
      notAfterMs: NOW_MS + 86_400_000,
      usage: ['server'],
      ...more,
    }),
  );
const root = () => make({ ...issuer, publicKey: authority.publicKey, usage: 'authority' });

describe('signCertificate', () => {
  it('creates a certificate that only its authority verifies', async () => {
    const ours = await make({});
    const theirs = await root();
    expect(theirs.ca).toBe(true);
    expect(theirs.verify(authority.publicKey)).toBe(true);
    expect(ours.ca).toBe(false);
    expect(ours.verify(authority.publicKey)).toBe(true);
    expect(ours.checkIssued(theirs)).toBe(true);
    expect(ours.checkPrivateKey(leaf.privateKey)).toBe(true);
    expect(ours.verify(leaf.publicKey)).toBe(false);
  });

  it('creates a certificate that is valid only for the given names and addresses', async () => {
    const ours = await make({ names: ['localhost', 'kubernetes.default'], addresses: ['127.0.0.1', '168.0.0.10'] });
    expect(ours.checkHost('kubernetes.default')).toBe('kubernetes.default');
    expect(ours.checkIP('168.0.0.10')).toBe('168.0.0.10');
    expect(ours.checkIP('168.0.0.11')).toBeUndefined();
    expect(ours.checkHost('kubernetes')).toBeUndefined();
    expect((await make({})).subjectAltName).toBeUndefined();
  });

  it('accepts any IPv6 address', async () => {
    await fc.assert(
      fc.asyncProperty(fc.ipV6(), async (ip) => {
        expect((await make({ addresses: [ip] })).checkIP(ip)).toBe(ip);
      }),
      {
        numRuns: 50,
        examples: [['::'], ['::1'], ['1::'], ['::ffff:127.0.0.1'], ['1:2:3:4:5:6:7:8'], ['1:0:0:2:0:0:0:3']],
      },
    );
    expect((await make({ addresses: ['fe80::1'] })).checkIP('fe80::2')).toBeUndefined();
  });

  it('creates an authority without limits for unlimited usage', async () => {
    const ours = await make({ ...issuer, publicKey: authority.publicKey, usage: 'unlimited', names: ['localhost'] });
    expect(ours.ca).toBe(true);
    expect(ours.keyUsage).toBeUndefined();
    expect(ours.checkHost('localhost')).toBe('localhost');
  });

  it.each(['localhost', 'fe80::1%eth0', ':::1', '1.2.3', '1.2.3.256', ''])('refuses %j as an address', async (ip) => {
    await expect(make({ addresses: [ip] })).rejects.toThrow(RangeError);
  });

  it('sets the allowed usages', async () => {
    const [server, client] = ['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2'];
    expect((await make({ usage: ['server', 'client'] })).keyUsage).toEqual([server, client]);
    expect((await make({ usage: ['client'] })).keyUsage).toEqual([client]);
  });

  it('sets a subject that Kubernetes reads, for any characters and length', async () => {
    const text = fc
      .string({ unit: 'grapheme', minLength: 1, maxLength: 300 })
      .filter((one) => !/[\u0000-\u001f]/.test(one));
    await fc.assert(
      fc.asyncProperty(text, text, async (commonName, organization) => {
        const { subject } = (await make({ subject: { commonName, organization } })).toLegacyObject();
        expect(subject).toMatchObject({ O: organization, CN: commonName });
      }),
      { numRuns: 50 },
    );
  });

  it('sets the validity to the second, also after 2050', async () => {
    const second = fc.integer({ min: 0, max: Date.UTC(2199, 0) / 1000 });
    await fc.assert(
      fc.asyncProperty(second, second, async (from, until) => {
        const { validFrom, validTo } = await make({ notBeforeMs: from * 1000, notAfterMs: until * 1000 });
        expect([Date.parse(validFrom), Date.parse(validTo)]).toEqual([from * 1000, until * 1000]);
      }),
      { numRuns: 50 },
    );
  });

  it('uses the same key ids as existing authority certificates', async () => {
    const idOf = (key: KeyObject) =>
      createHash('sha256')
        .update(key.export({ type: 'spki', format: 'der' }))
        .digest();
    const { raw } = await make({});
    for (const key of [leaf.publicKey, authority.publicKey]) expect(raw.includes(idOf(key).subarray(0, 20))).toBe(true);
  });

  it('uses a different serial number for each certificate', async () => {
    const made = await Promise.all(Array.from({ length: 20 }, () => make({})));
    const numbers = made.map(({ serialNumber }) => serialNumber);
    expect(new Set(numbers).size).toBe(20);
    for (const number of numbers) expect(number).toMatch(/^[4-7][0-9A-F]{31}$/);
  });
});
