import { describe, expect, it } from 'vitest';
import { certificateAdvice, isAboutCertificate, looksPermanent, networkFailure } from './network-failure.ts';

const failed = (code: string, message = 'x', more = {}) => Object.assign(new Error(message), { code, ...more });
const wrapped = (cause: unknown) => Object.assign(new TypeError('fetch failed'), { cause });

describe('networkFailure', () => {
  it.each([
    ['SELF_SIGNED_CERT_IN_CHAIN', 'untrusted'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'untrusted'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'untrusted'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'untrusted'],
    ['CERT_HAS_EXPIRED', 'expired'],
    ['CERT_NOT_YET_VALID', 'not-yet-valid'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'wrong-name'],
    ['CERT_REVOKED', 'bad-certificate'],
    ['CERT_SIGNATURE_FAILURE', 'bad-certificate'],
    ['EPROTO', 'no-tls'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'no-tls'],
    ['ENOTFOUND', 'unknown-host'],
    ['EAI_AGAIN', 'unknown-host'],
    ['ECONNREFUSED', 'refused'],
    ['EHOSTUNREACH', 'no-route'],
    ['ECONNRESET', 'interrupted'],
    ['UND_ERR_CONNECT_TIMEOUT', 'interrupted'],
  ])('finds %s as %s in any nested cause', (code, kind) => {
    for (const thrown of [failed(code), wrapped(failed(code)), wrapped(new AggregateError([failed(code)]))])
      expect(networkFailure(thrown)).toMatchObject({ kind, code });
  });

  it.each([
    [new RangeError('bug')],
    [failed('ERR_INVALID_ARG_TYPE')],
    [failed('ENOENT', 'open', { path: '/ca.pem', syscall: 'open' })],
    [failed('EACCES', 'spawn', { path: 'kubelogin', syscall: 'spawn kubelogin' })],
    [Object.assign(new Error('x'), { code: 404 })],
    ['text'],
    [undefined],
  ])('is undefined for a bug or a response: %s', (thrown) => {
    expect(networkFailure(thrown)).toBeUndefined();
  });

  it('does not follow a loop of causes', () => {
    const one = new Error('one');
    one.cause = wrapped(one);
    expect(networkFailure(one)).toBeUndefined();
  });

  it('names the address of the connection, which may be a proxy', () => {
    const fields = failed('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:3128', { address: '127.0.0.1', port: 3128 });
    for (const thrown of [fields, failed('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:3128')])
      expect(networkFailure(thrown)?.reason).toBe('refused the connection (ECONNREFUSED 127.0.0.1:3128)');
  });

  it('lists the names of a certificate for another name', () => {
    const message =
      "Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's list: DNS:b, DNS:c";
    const cert = { subjectaltname: 'DNS:b, DNS:c' };
    for (const thrown of [
      failed('ERR_TLS_CERT_ALTNAME_INVALID', message),
      failed('ERR_TLS_CERT_ALTNAME_INVALID', 'x', { cert }),
    ])
      expect(networkFailure(thrown)?.reason).toBe(
        'has a certificate for another name (ERR_TLS_CERT_ALTNAME_INVALID: it is for DNS:b, DNS:c)',
      );
  });

  it('looks permanent unless the connection was interrupted', () => {
    expect(['CERT_HAS_EXPIRED', 'ENOTFOUND', 'ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT'].map(permanent)).toEqual([
      true,
      true,
      true,
      false,
      false,
    ]);
    function permanent(code: string): boolean {
      return looksPermanent(networkFailure(failed(code))!);
    }
  });

  it('is about the certificate only for certificate errors', () => {
    expect(isAboutCertificate(networkFailure(failed('CERT_REVOKED'))!)).toBe(true);
    expect(isAboutCertificate(networkFailure(failed('EPROTO'))!)).toBe(false);
  });

  it('has specific advice for each kind of certificate error', () => {
    const advice = (code: string) => certificateAdvice(networkFailure(failed(code))!, 'set TRUST=FILE');
    expect(advice('SELF_SIGNED_CERT_IN_CHAIN')).toContain('set TRUST=FILE');
    expect(advice('SELF_SIGNED_CERT_IN_CHAIN')).toContain('proxy that intercepts TLS');
    expect(advice('CERT_HAS_EXPIRED')).toContain('clock');
    expect(advice('CERT_NOT_YET_VALID')).toContain('clock');
    expect(advice('ERR_TLS_CERT_ALTNAME_INVALID')).toContain('name');
  });
});
