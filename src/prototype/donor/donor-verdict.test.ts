// The verdict on a donor from an inspection and the cluster: join method, bootstrap for a rollback, patches, fixed names.
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { Secret } from '../../base/secret.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import {
  chooseBootstrapSource,
  type DonorVerdict,
  describeBootstrapSource,
  donorRefusals,
  joinWarning,
  judgeDonor,
} from './donor-verdict.ts';
import { type DonorCredential, type Inspection, parseInspection } from './inspect/inspection.ts';

const clock = fakeClock();
const NOW_MS = clock.nowMs();
const BOOTSTRAP = '/etc/kubernetes/bootstrap-kubelet.conf';
const token: DonorCredential = { role: 'bootstrap-kubeconfig', file: BOOTSTRAP, kind: 'token', tokenId: 'abcdef' };
const inspection = (more: Partial<Inspection> = {}): Inspection => ({
  ...parseInspection(''),
  isComplete: true,
  credentials: [token],
  ...more,
});
const cluster = () => fakeCluster(clock);

describe('joinWarning', () => {
  it('warns only about a credential that expires soon or at an unknown time', () => {
    const method = { kind: 'bootstrap-token', file: BOOTSTRAP, tokenId: 'abcdef' } as const;
    const day = 24 * 3_600_000;
    expect(joinWarning({ method: { ...method, expiresMs: NOW_MS + day } }, NOW_MS)).toBe(
      `a clone joins by bootstrap token abcdef in ${BOOTSTRAP}, until 2026-11-16T03:00:00.000Z: new instances that start after that cannot join`,
    );
    expect(joinWarning({ method, note: 'expiry unknown' }, NOW_MS)).toContain('; expiry unknown');
    expect(joinWarning({ method }, NOW_MS)).toBeUndefined();
    expect(joinWarning({ method: { ...method, expiresMs: NOW_MS + 300 * day } }, NOW_MS)).toBeUndefined();
  });
});

describe('the bootstrap for a rollback', () => {
  const asked = { isGiven: false, hasSavedModel: false, isSpecialized: false, isInModel: false, neverHadAny: false };
  const found = inspection({ customData: { file: '/var/lib/u', base64: new Secret('canary') } });

  it('is given, saved, not needed for a specialized pool, or found on the donor', () => {
    expect(chooseBootstrapSource({ ...asked, isGiven: true, hasSavedModel: true, inspection: found }).kind).toBe(
      'given',
    );
    expect(chooseBootstrapSource({ ...asked, hasSavedModel: true, inspection: found }).kind).toBe('saved');
    expect(chooseBootstrapSource({ ...asked, isSpecialized: true, inspection: found }).kind).toBe('not needed');
    expect(chooseBootstrapSource({ ...asked, inspection: found })).toEqual({ kind: 'found', file: '/var/lib/u' });
    expect(chooseBootstrapSource({ ...asked, inspection: inspection() }).kind).toBe('none');
  });

  it('is never shown', () => {
    expect(describeBootstrapSource(chooseBootstrapSource({ ...asked, inspection: found }))).toBe(
      'the custom data found on the donor (/var/lib/u)',
    );
  });
});

describe('donorRefusals', () => {
  const node = cluster().addNode('n1');
  const good: DonorVerdict = judgeDonor({
    inspection: inspection(),
    node,
    pool: 'p',
    poolNodes: [node],
    joining: { method: { kind: 'metadata', unit: 'u' } },
    wayBack: { kind: 'saved' },
  });
  const strict = { mayBeUnpatched: false, mayLoseBootstrap: false };

  it('refuses nothing for a good donor', () => {
    expect(good).toMatchObject({ findings: [], unpatched: [] });
    expect(donorRefusals(good, strict)).toEqual([]);
  });

  it('returns all reasons at once, each finding with file and line', () => {
    const bad = judgeDonor({
      inspection: inspection({
        rebootRequired: { file: '/run/reboot-required', packages: [] },
        references: [
          {
            area: 'kubelet',
            file: '/etc/default/kubelet',
            line: 3,
            kind: 'name',
            setting: 'hostname-override',
            value: 'n1',
          },
        ],
      }),
      node,
      pool: 'p',
      poolNodes: [node],
      joining: { method: { kind: 'none', reasons: ['/k: it has no credential'] } },
      wayBack: { kind: 'none' },
    });
    expect(donorRefusals(bad, strict).map(({ code }) => code)).toEqual([
      'prototype/not-clonable',
      'prototype/unpatched',
      'prototype/no-way-back',
    ]);
    const [first] = donorRefusals(bad, { mayBeUnpatched: true, mayLoseBootstrap: true });
    expect(first!.reason).toContain('/etc/default/kubelet:3: hostname-override is n1, which a clone would inherit');
    expect(first!.reason).toContain('could not join the cluster: /k: it has no credential');
    expect(donorRefusals(bad, { mayBeUnpatched: true, mayLoseBootstrap: true })).toHaveLength(1);
  });
});
