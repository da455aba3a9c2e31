import { describe, expect, it } from 'vitest';
import { CERTIFICATE } from '../document/documents.testing.ts';
import { hasCredential } from './credential.ts';

const BEFORE_MS = Date.UTC(2027, 0, 1);
const AFTER_MS = Date.UTC(2127, 0, 1);
const kubeconfig = 'users:\n- user:\n    client-certificate: /pki/current.pem\n    client-key: /pki/current.pem\n';
const files = new Map([
  ['/pki/current.pem', `${CERTIFICATE}-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n`],
]);
const readText = (path: string) => files.get(path);

describe("kubelet's own credential", () => {
  it.each<[string, Parameters<typeof hasCredential>[0], boolean]>([
    ['is valid', { kubeconfig, readText, nowMs: BEFORE_MS }, true],
    ['is invalid after it expired', { kubeconfig, readText, nowMs: AFTER_MS }, false],
    [
      'is missing while the certificate is not issued',
      { kubeconfig, readText: () => undefined, nowMs: BEFORE_MS },
      false,
    ],
    ['is invalid if it is not a certificate', { kubeconfig, readText: () => 'nonsense', nowMs: BEFORE_MS }, false],
    [
      'is invalid if it cannot be decoded',
      { kubeconfig, readText: () => CERTIFICATE.replace('MII', 'AAA'), nowMs: BEFORE_MS },
      false,
    ],
    ['is missing without a kubeconfig', { kubeconfig: undefined, readText, nowMs: BEFORE_MS }, false],
    [
      'is missing if the kubeconfig has a token',
      { kubeconfig: 'users:\n- user:\n    token: x\n', readText, nowMs: BEFORE_MS },
      false,
    ],
    [
      'is valid if it is embedded in the kubeconfig',
      {
        kubeconfig: `users:\n- user:\n    client-certificate-data: ${Buffer.from(CERTIFICATE).toString('base64')}\n`,
        readText: () => undefined,
        nowMs: BEFORE_MS,
      },
      true,
    ],
  ])('%s', (_what, sources, isValid) => {
    expect(hasCredential(sources)).toBe(isValid);
  });
});
