// node/document/signature.ts: did a signer that the image trusts sign this document? Anyone who may change the VM can write its user
// data, but not replace a key that is built into the image.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { canonicalJson, isObject, type JsonObject } from '../../schema/json.ts';
import type { Problem } from './problem.ts';

/** Undefined if one of `signers` signed the document, or if there are no signers. */
export function signatureProblem(document: JsonObject, signers: readonly string[]): Problem | undefined {
  if (signers.length === 0) return undefined;
  const signature = isObject(document.signature) ? document.signature.ed25519 : undefined;
  if (typeof signature !== 'string') {
    return {
      reason: 'config/signature-missing',
      path: 'signature',
      message: 'is required by this image',
    };
  }
  const bytes = Buffer.from(signature, 'base64');
  if (signers.some((signer) => isSignedBy(signer, signedBytes(document), bytes))) return undefined;
  return {
    reason: 'config/signature-invalid',
    path: 'signature',
    message: 'was not made by a signer that this image trusts',
  };
}

/** The signature covers the canonical JSON, so a converted document must be signed again. */
export function signDocument(document: JsonObject, privateKeyPem: string): JsonObject {
  const key = createPrivateKey(privateKeyPem);
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError(`expected an ed25519 key, got ${key.asymmetricKeyType}`);
  const ed25519 = sign(null, signedBytes(document), key).toString('base64');
  return { ...document, signature: { ed25519 } };
}

/** False, not an error, if `signer` is not a valid key. */
function isSignedBy(signer: string, signed: Buffer, signature: Buffer): boolean {
  try {
    const key = createPublicKey(signer);
    return key.asymmetricKeyType === 'ed25519' && verify(null, signed, key, signature);
  } catch {
    return false;
  }
}

function signedBytes({ signature: _, ...rest }: JsonObject): Buffer {
  return Buffer.from(canonicalJson(rest));
}
