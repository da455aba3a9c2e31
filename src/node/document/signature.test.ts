import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { aDocument } from './documents.testing.ts';
import { signatureProblem, signDocument } from './signature.ts';

const [mine, other] = [generateKeyPairSync('ed25519'), generateKeyPairSync('ed25519')];
const signer = ({ publicKey }: typeof mine) => publicKey.export({ type: 'spki', format: 'pem' }).toString();
const pem = ({ privateKey }: Pick<typeof mine, 'privateKey'>) =>
  privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
const signed = signDocument(aDocument({ labels: { a: 'b' } }), pem(mine));
const reason = (document: typeof signed, ...signers: string[]) => signatureProblem(document, signers)?.reason;

describe('signatureProblem', () => {
  it('accepts the signature of any signer, in any order of fields', () => {
    expect(reason(signed, signer(other), signer(mine))).toBeUndefined();
    const turned = Object.fromEntries(Object.entries(signed).reverse());
    expect(reason(turned, signer(mine))).toBeUndefined();
  });

  it('requires a signature only if the image has signers', () => {
    expect(reason(aDocument())).toBeUndefined();
    expect(reason(aDocument(), signer(mine))).toBe('config/signature-missing');
    expect(reason({ ...signed, signature: 'x' }, signer(mine))).toBe('config/signature-missing');
  });

  it('refuses a signature of another document, of another signer, or with other bytes', () => {
    expect(reason({ ...signed, metadata: { generation: 2 } }, signer(mine))).toBe('config/signature-invalid');
    expect(reason(signed, signer(other))).toBe('config/signature-invalid');
    expect(reason({ ...signed, signature: { ed25519: 'AAAA' } }, signer(mine))).toBe('config/signature-invalid');
  });

  it('ignores a signer that is not a key, or a key of another type', () => {
    const rsa = generateKeyPairSync('rsa', { modulusLength: 1024 });
    const other = rsa.publicKey.export({ type: 'spki', format: 'pem' }).toString();
    expect(reason(signed, 'nonsense', other)).toBe('config/signature-invalid');
    expect(() => signDocument(aDocument(), pem(rsa))).toThrow('expected an ed25519 key, got rsa');
  });
});
