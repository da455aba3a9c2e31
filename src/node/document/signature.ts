// node/document/signature.ts: did somebody whom the image trusts sign this document? User data can be written by whoever may change
// the VM; a key that is baked into the image cannot.
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { canonicalJson, isObject, type JsonObject } from '../../schema/json.ts';
import type { Problem } from './problem.ts';

/** Undefined when it is signed by one of them, or the image asks for no signature. */
export function signatureProblem(document: JsonObject, signers: readonly string[]): Problem | undefined {
  if (signers.length === 0) return undefined;
  const signature = isObject(document.signature) ? document.signature.ed25519 : undefined;
  if (typeof signature !== 'string') {
    return {
      reason: 'config/signature-missing',
      path: 'signature',
      message: 'is missing, and this image asks for one',
    };
  }
  const bytes = Buffer.from(signature, 'base64');
  if (signers.some((signer) => isSignedBy(signer, signedBytes(document), bytes))) return undefined;
  return {
    reason: 'config/signature-invalid',
    path: 'signature',
    message: 'was not made by a signer this image knows',
  };
}

/** The document with its signature, over what `canonicalJson` gives; in another version it has to be signed anew. */
export function signDocument(document: JsonObject, privateKeyPem: string): JsonObject {
  const key = createPrivateKey(privateKeyPem);
  if (key.asymmetricKeyType !== 'ed25519') throw new TypeError(`a key of type ${key.asymmetricKeyType} is not ed25519`);
  const ed25519 = sign(null, signedBytes(document), key).toString('base64');
  return { ...document, signature: { ed25519 } };
}

/** A signer that is no key at all signed nothing. */
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
