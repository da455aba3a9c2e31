import { describe, expect, it } from 'vitest';
import { certificateAdvice, isAboutCertificate, looksPermanent, networkFailure } from './network-failure.ts';

const failed = (code: string, message = 'x', more = {}) => Object.assign(new Error(message), { code, ...more });
/** As `fetch` throws it. */
const wrapped = (cause: unknown) => Object.assign(new TypeError('fetch failed'), { cause });

describe('a connection that failed', () => {
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
  ])('%s is %s, however deep it is wrapped', (code, kind) => {
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
  ])('is not what a bug or an answer is: %s', (thrown) => {
    expect(networkFailure(thrown)).toBeUndefined();
  });

  it('does not follow causes in a circle', () => {
    const one = new Error('one');
    one.cause = wrapped(one);
    expect(networkFailure(one)).toBeUndefined();
  });

  it('names the address that was tried, which is a proxy at times', () => {
    const fields = failed('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:3128', { address: '127.0.0.1', port: 3128 });
    for (const thrown of [fields, failed('ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:3128')])
      expect(networkFailure(thrown)?.reason).toBe('refused the connection (ECONNREFUSED 127.0.0.1:3128)');
  });

  it('names what a certificate is for when it is for another name', () => {
    const message =
      "Hostname/IP does not match certificate's altnames: Host: a. is not in the cert's list: DNS:b, DNS:c";
    const cert = { subjectaltname: 'DNS:b, DNS:c' };
    for (const thrown of [
      failed('ERR_TLS_CERT_ALTNAME_INVALID', message),
      failed('ERR_TLS_CERT_ALTNAME_INVALID', 'x', { cert }),
    ])
      expect(networkFailure(thrown)?.reason).toBe(
        'has a certificate for another name (ERR_TLS_CERT_ALTNAME_INVALID: it holds DNS:b, DNS:c)',
      );
  });

  it('looks permanent unless the connection broke', () => {
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

  it('is about the certificate only when one was seen', () => {
    expect(isAboutCertificate(networkFailure(failed('CERT_REVOKED'))!)).toBe(true);
    expect(isAboutCertificate(networkFailure(failed('EPROTO'))!)).toBe(false);
  });

  it('has advice of its own for each kind of certificate', () => {
    const advice = (code: string) => certificateAdvice(networkFailure(failed(code))!, 'set TRUST=FILE');
    expect(advice('SELF_SIGNED_CERT_IN_CHAIN')).toContain('set TRUST=FILE');
    expect(advice('SELF_SIGNED_CERT_IN_CHAIN')).toContain('proxy that intercepts TLS');
    expect(advice('CERT_HAS_EXPIRED')).toContain('clock');
    expect(advice('CERT_NOT_YET_VALID')).toContain('clock');
    expect(advice('ERR_TLS_CERT_ALTNAME_INVALID')).toContain('name');
  });
});
