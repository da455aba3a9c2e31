import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import { describeCloneJoin } from './donor-verdict.ts';
import { type DonorCredential, type Inspection, parseInspection } from './inspect/inspection.ts';
import { findCloneJoin } from './join-token.ts';

const clock = fakeClock();
const NOW_MS = clock.nowMs();
const CONTEXT = { nodeName: 'n1', nowMs: NOW_MS };
const { signal } = new AbortController();
const BOOTSTRAP = '/etc/kubernetes/bootstrap-kubelet.conf';
const token: DonorCredential = { role: 'bootstrap-kubeconfig', file: BOOTSTRAP, kind: 'token', tokenId: 'abcdef' };
const inspection = (more: Partial<Inspection> = {}): Inspection => ({
  ...parseInspection(''),
  isComplete: true,
  credentials: [token],
  ...more,
});
const cluster = () => fakeCluster(clock);

describe('findCloneJoin', () => {
  it('accepts a bootstrap token that exists in the cluster, with its expiry', async () => {
    const known = cluster();
    known.tokens!.set('abcdef', { expiresMs: NOW_MS + 3_600_000, isForJoining: true });
    const joining = await findCloneJoin(known, inspection(), CONTEXT, signal);
    expect(joining).toEqual({
      method: { kind: 'bootstrap-token', file: BOOTSTRAP, tokenId: 'abcdef', expiresMs: NOW_MS + 3_600_000 },
    });
    expect(describeCloneJoin(joining)).toBe(`bootstrap token abcdef in ${BOOTSTRAP}, until 2026-11-15T04:00:00.000Z`);
  });

  it('accepts a token that does not expire', async () => {
    const known = cluster();
    known.tokens!.set('abcdef', { isForJoining: true });
    expect((await findCloneJoin(known, inspection(), CONTEXT, signal)).method).not.toHaveProperty('expiresMs');
  });

  it('accepts a token that may not be read, and notes that its expiry is unknown', async () => {
    const closed = cluster();
    closed.tokens = null;
    const joining = await findCloneJoin(closed, inspection(), CONTEXT, signal);
    expect(joining.method.kind).toBe('bootstrap-token');
    expect(describeCloneJoin(joining)).toContain('expiry unknown: no permission to read the token');
  });

  it.each([
    ['that was deleted', undefined, /does not exist in the cluster/],
    ['that has expired', { expiresMs: NOW_MS, isForJoining: true }, /expired at 2026-11-15T03:00:00.000Z/],
    ['that does not allow joining', { isForJoining: false }, /does not allow joining/],
  ])('rejects a token %s with a reason that names the file', async (_, known, reason) => {
    const target = cluster();
    if (known) target.tokens!.set('abcdef', known);
    const { method } = await findCloneJoin(target, inspection(), CONTEXT, signal);
    expect(method).toEqual({ kind: 'none', reasons: [expect.stringMatching(reason)] });
    expect(describeCloneJoin({ method })).toContain(BOOTSTRAP);
  });

  it('checks the next credential of kubelet when a token is rejected', async () => {
    const second: DonorCredential = { ...token, file: '/etc/second.conf', tokenId: 'zzzzzz' };
    const target = cluster();
    const both = inspection({ credentials: [token, second], joinUnits: ['join.service'] });
    expect((await findCloneJoin(target, both, CONTEXT, signal)).method).toEqual({
      kind: 'metadata',
      unit: 'join.service',
    });
    target.tokens!.set('zzzzzz', { isForJoining: true });
    expect((await findCloneJoin(target, both, CONTEXT, signal)).method).toMatchObject({ tokenId: 'zzzzzz' });
  });

  it('does not call the cluster for other credentials', async () => {
    const unasked = { readBootstrapToken: () => Promise.reject(new Error('asked')) };
    const exec: DonorCredential = { role: 'kubeconfig', file: '/k', kind: 'exec', command: 'login' };
    const { method } = await findCloneJoin(unasked, inspection({ credentials: [exec] }), CONTEXT, signal);
    expect(method.kind).toBe('exec-credential');
    const none = await findCloneJoin(unasked, inspection({ credentials: [] }), CONTEXT, signal);
    expect(none.method).toEqual({ kind: 'none', reasons: [expect.stringContaining('neither a kubeconfig')] });
  });

  it('passes on other errors of the cluster', async () => {
    const broken = { readBootstrapToken: () => Promise.reject(new Error('unreachable')) };
    await expect(findCloneJoin(broken, inspection(), CONTEXT, signal)).rejects.toThrow('unreachable');
  });
});
