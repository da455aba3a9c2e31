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

describe('how a clone joins', () => {
  it('by a bootstrap token that the cluster knows: until when is said', async () => {
    const known = cluster();
    known.tokens!.set('abcdef', { expiresMs: NOW_MS + 3_600_000, isForJoining: true });
    const joining = await findCloneJoin(known, inspection(), CONTEXT, signal);
    expect(joining).toEqual({
      method: { kind: 'bootstrap-token', file: BOOTSTRAP, tokenId: 'abcdef', expiresMs: NOW_MS + 3_600_000 },
    });
    expect(describeCloneJoin(joining)).toBe(`bootstrap token abcdef in ${BOOTSTRAP}, until 2026-11-15T04:00:00.000Z`);
  });

  it('by one that does not end', async () => {
    const known = cluster();
    known.tokens!.set('abcdef', { isForJoining: true });
    expect((await findCloneJoin(known, inspection(), CONTEXT, signal)).method).not.toHaveProperty('expiresMs');
  });

  it('by one that may not be looked at: the end is unknown, and that is said', async () => {
    const closed = cluster();
    closed.tokens = null;
    const joining = await findCloneJoin(closed, inspection(), CONTEXT, signal);
    expect(joining.method.kind).toBe('bootstrap-token');
    expect(describeCloneJoin(joining)).toContain('expiry unknown: the rights do not allow to look');
  });

  it.each([
    ['that is gone', undefined, /is not known to the cluster/],
    ['that has ended', { expiresMs: NOW_MS, isForJoining: true }, /ended at 2026-11-15T03:00:00.000Z/],
    ['that is for something else', { isForJoining: false }, /is not for joining/],
  ])('not by one %s, and the reason names the file', async (_, known, reason) => {
    const knowing = cluster();
    if (known) knowing.tokens!.set('abcdef', known);
    const { method } = await findCloneJoin(knowing, inspection(), CONTEXT, signal);
    expect(method).toEqual({ kind: 'none', reasons: [expect.stringMatching(reason)] });
    expect(describeCloneJoin({ method })).toContain(BOOTSTRAP);
  });

  it('by what kubelet would try next, when the token does not do', async () => {
    const second: DonorCredential = { ...token, file: '/etc/second.conf', tokenId: 'zzzzzz' };
    const knowing = cluster();
    const both = inspection({ credentials: [token, second], joinUnits: ['join.service'] });
    expect((await findCloneJoin(knowing, both, CONTEXT, signal)).method).toEqual({
      kind: 'metadata',
      unit: 'join.service',
    });
    knowing.tokens!.set('zzzzzz', { isForJoining: true });
    expect((await findCloneJoin(knowing, both, CONTEXT, signal)).method).toMatchObject({ tokenId: 'zzzzzz' });
  });

  it('asks the cluster nothing about credentials that are no bootstrap token', async () => {
    const unasked = { readBootstrapToken: () => Promise.reject(new Error('asked')) };
    const exec: DonorCredential = { role: 'kubeconfig', file: '/k', kind: 'exec', command: 'login' };
    const { method } = await findCloneJoin(unasked, inspection({ credentials: [exec] }), CONTEXT, signal);
    expect(method.kind).toBe('exec-credential');
    const none = await findCloneJoin(unasked, inspection({ credentials: [] }), CONTEXT, signal);
    expect(none.method).toEqual({ kind: 'none', reasons: [expect.stringContaining('neither a kubeconfig')] });
  });

  it('hands errors of the cluster on', async () => {
    const broken = { readBootstrapToken: () => Promise.reject(new Error('unreachable')) };
    await expect(findCloneJoin(broken, inspection(), CONTEXT, signal)).rejects.toThrow('unreachable');
  });
});
