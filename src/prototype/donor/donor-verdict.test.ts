// The verdict on a donor from an inspection and the cluster: join method, bootstrap for a rollback, patches, fixed names.
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { Secret } from '../../base/secret.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import type { ImageRef } from '../../vms/pools.ts';
import {
  chooseBootstrapSource,
  type DonorVerdict,
  describeBootstrapSource,
  donorRefusals,
  isMadeFrom,
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
  const asked = {
    ...{ isGiven: false, isOnPrototype: false, isSaved: false, isSpecialized: false, isInModel: false },
    ...{ neverHadAny: false, isOfModel: true },
  };
  const found = inspection({ customData: { file: '/var/lib/u', base64: new Secret('canary') } });

  it.each([
    ['given', { isGiven: true, isSaved: true }],
    ['not needed', { isSpecialized: true }],
    ['kept', { isInModel: true }],
    ['never any', { neverHadAny: true }],
    ['found', {}],
    ['found', { isSaved: true }],
    ['saved', { isSaved: true, isOfModel: false }],
    ['none', { isOfModel: false }],
    ['saved', { isOnPrototype: true, isSaved: true, isGiven: true }],
    ['none', { isOnPrototype: true }],
    ['none', { isOnPrototype: true, isGiven: true }],
    ['none', { isOnPrototype: true, isSpecialized: true }],
  ])('is %s for %j', (kind, more) => {
    expect(chooseBootstrapSource({ ...asked, ...more, inspection: found }).kind).toBe(kind);
  });

  it.each([
    [{}, 'the donor has none'],
    [{ isOnPrototype: true }, 'its original model is not saved'],
    [{ isOfModel: false, inspection: found }, 'the donor was made from another image'],
  ])('has a reason if there is none: %j', (more, because) => {
    const wayBack = chooseBootstrapSource({ ...asked, inspection: inspection(), ...more });
    expect(wayBack).toMatchObject({ kind: 'none', because: expect.stringContaining(because) });
  });

  it('is never shown', () => {
    expect(describeBootstrapSource(chooseBootstrapSource({ ...asked, inspection: found }))).toBe(
      'the custom data found on the donor (/var/lib/u)',
    );
  });
});

describe('isMadeFrom', () => {
  const market = { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: 'latest' } as const;
  const ours = { kind: 'version', id: '/g/images/kamino-a-prototype/versions/1.0.0' } as const;
  const golden = { kind: 'version', id: '/g/images/node/versions/1.0.0' } as const;

  it.each<[ImageRef | undefined, ImageRef, boolean]>([
    [undefined, market, true],
    [market, market, true],
    [{ ...market, version: '1.2.3' }, market, true],
    [{ ...market, version: '1.2.3' }, { ...market, version: '1.2.4' }, false],
    [{ ...market, sku: 'other' }, market, false],
    [golden, market, false],
    [golden, golden, true],
    [{ ...golden, id: golden.id.toUpperCase() }, golden, true],
    [{ ...golden, id: '/g/images/node/versions/1.0.1' }, golden, false],
    [golden, { kind: 'definition', id: '/g/images/node' }, true],
    [golden, { kind: 'definition', id: '/g/images/nod' }, false],
    [ours, ours, false],
  ])('of %j and %j is %s', (made, image, expected) => {
    expect(isMadeFrom(made, image)).toBe(expected);
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
      wayBack: { kind: 'none', because: 'the donor has none' },
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
