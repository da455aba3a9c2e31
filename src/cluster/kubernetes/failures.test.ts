import { describe, expect, it } from 'vitest';
import { TransientError, UserError } from '../../base/errors.ts';
import { Conflict, Forbidden, NotFound, Throttled } from '../../base/failures.ts';
import { errorResponseOf, type KubeEndpoint, type KubeErrorResponse, translate } from './failures.ts';
import { evictionOf } from './pods.ts';

/** As the client throws it: the body is text. */
function thrown(status: number, body: object | string = {}, headers: Record<string, string> = {}): Error {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return Object.assign(new Error(`HTTP-Code: ${status}`), { code: status, body: text, headers });
}

const PLACE: KubeEndpoint = {
  server: 'https://10.0.0.1:6443',
  context: 'prod',
  user: 'ops',
  kubeconfig: '/k/config',
  kubectl: 'kubectl --kubeconfig /k/config',
};
const ASKED = { verb: 'patch', resource: 'nodes', name: 'n1' };

describe('an error of the API server', () => {
  it.each([
    [401, Forbidden],
    [403, Forbidden],
    [404, NotFound],
    [409, Conflict],
    [410, TransientError],
    [422, UserError],
    [429, Throttled],
    [500, TransientError],
    [503, TransientError],
  ])('with status %i becomes the right kind of failure', (status, kind) => {
    expect(translate(thrown(status), ASKED)).toBeInstanceOf(kind);
  });

  it('names the verb and the resource of a missing right', () => {
    expect(translate(thrown(403, { message: 'nodes "n1" is forbidden' }), ASKED).message).toBe(
      'no right to patch nodes n1: nodes "n1" is forbidden',
    );
  });

  it('names the user, the server and the kubectl command that checks the right', () => {
    const { message, next } = translate(thrown(403), ASKED, PLACE) as Forbidden;
    expect(message).toBe('no right to patch nodes n1 at https://10.0.0.1:6443: user ops is refused');
    expect(next).toContain('`kubectl --kubeconfig /k/config auth can-i patch nodes`');
  });

  it('names the user whose credentials were not accepted', () => {
    const { message, next } = translate(thrown(401), ASKED, PLACE) as Forbidden;
    expect(message).toContain(
      'https://10.0.0.1:6443 did not accept the credentials of user ops (context prod in /k/config)',
    );
    expect(next).toContain('`kubectl --kubeconfig /k/config auth whoami`');
  });

  it('keeps the requested wait from the header or the body', () => {
    expect(translate(thrown(429, {}, { 'retry-after': '10' }), ASKED)).toMatchObject({ retryAfterMs: 10_000 });
    expect(translate(thrown(429, { details: { retryAfterSeconds: 4 } }), ASKED)).toMatchObject({ retryAfterMs: 4_000 });
  });

  it('detects a server that is not Kubernetes', () => {
    const error = translate(thrown(404, 'page not found'), { verb: 'list', resource: 'nodes' }, PLACE);
    expect(error.message).toBe(
      'could not list nodes: https://10.0.0.1:6443 is not a Kubernetes API server (it answered 404)',
    );
  });

  it('handles an error page of a proxy', () => {
    expect(translate(thrown(502, '<html>Bad gateway</html>'), ASKED).message).toContain('status 502');
  });

  it('shows only the message, no header and no body', () => {
    const error = translate(thrown(500, { message: 'boom', secret: 's3cret' }, { 'set-cookie': 's3cret' }), ASKED);
    expect(JSON.stringify([error.message, String(error.cause)])).not.toContain('s3cret');
  });
});

describe('a connection error', () => {
  const failed = (code: string) =>
    Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('x'), { code }) });

  it.each(['ECONNREFUSED', 'ECONNRESET', 'ENOTFOUND', 'EAI_AGAIN', 'UND_ERR_SOCKET'])('%s is transient', (code) => {
    expect(translate(failed(code), ASKED)).toMatchObject({ name: 'TransientError', code: 'cluster/unreachable' });
  });

  it.each(['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID'])(
    '%s does not',
    (code) => {
      expect(translate(failed(code), ASKED)).toMatchObject({ name: 'UserError', code: 'cluster/untrusted' });
    },
  );

  it('names the server, the context, the file and a kubectl command for the same server', () => {
    const { message, next } = translate(failed('ECONNREFUSED'), ASKED, PLACE) as TransientError;
    expect(message).toBe(
      'could not patch nodes n1: the API server https://10.0.0.1:6443 refused the connection (ECONNREFUSED); ' +
        'it is the server of context prod in /k/config',
    );
    expect(next).toContain('`kubectl --kubeconfig /k/config get nodes`');
  });

  it('about a certificate names the setting of the kubeconfig', () => {
    expect(translate(failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), ASKED, PLACE)).toMatchObject({
      code: 'cluster/untrusted',
      next: expect.stringContaining('certificate-authority of /k/config'),
    });
  });

  it('keeps the reason why fetch refuses a port', () => {
    const error = new TypeError('fetch failed', { cause: new Error('bad port') });
    expect(translate(error, ASKED, PLACE).message).toContain('could not be reached (bad port)');
  });

  it('treats a deadline as transient, and passes a bug on unchanged', () => {
    expect(translate(new DOMException('late', 'TimeoutError'), ASKED)).toBeInstanceOf(TransientError);
    const bug = Object.assign(new RangeError('no'), { code: 'ERR_INVALID_ARG_VALUE' });
    expect(translate(bug, ASKED)).toBe(bug);
    expect(errorResponseOf(bug)).toBeUndefined();
  });
});

describe('the result of an eviction', () => {
  const answer = (more: Partial<KubeErrorResponse>): KubeErrorResponse => ({
    status: 200,
    reason: '',
    causes: [],
    message: '',
    ...more,
  });

  it.each<[string, Partial<KubeErrorResponse>, ReturnType<typeof evictionOf>]>([
    ['gone', { status: 404 }, { outcome: 'gone' }],
    ['replaced under its name', { status: 409 }, { outcome: 'gone' }],
    ['blocked by a budget', { status: 429, message: 'needs 1' }, { outcome: 'blocked', reason: 'needs 1' }],
    [
      'blocked by a budget that is named',
      { status: 429, message: 'no', causes: [{ reason: 'DisruptionBudget', message: 'b needs 1' }] },
      { outcome: 'blocked', reason: 'b needs 1' },
    ],
    [
      'a pause requested by the server',
      { status: 429, message: 'still being processed', retryAfterMs: 10_000 },
      { outcome: 'blocked', reason: 'still being processed', retryAfterMs: 10_000 },
    ],
    [
      'stuck between two budgets',
      { status: 500, message: 'more than one' },
      { outcome: 'stuck', reason: 'more than one' },
    ],
    ['an internal error, which is no answer', { status: 500, reason: 'InternalError' }, undefined],
    ['a missing right, which is no answer', { status: 403 }, undefined],
    [
      'in a namespace that is going away',
      { status: 403, causes: [{ reason: 'NamespaceTerminating', message: '' }] },
      { outcome: 'blocked', reason: 'its namespace is being deleted' },
    ],
  ])('%s', (_, more, eviction) => {
    expect(evictionOf(answer(more))).toEqual(eviction);
  });
});
