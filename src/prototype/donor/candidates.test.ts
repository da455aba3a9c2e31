import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import type { Node } from '../../cluster/cluster.ts';
import { fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import type { ListedInstance } from '../../vms/pools.ts';
import { lab } from '../testing.ts';
import {
  type CandidateRules,
  compareObjections,
  OBJECTION_KINDS,
  objectionsTo,
  PROVEN_MS,
  rankCandidates,
} from './candidates.ts';

const node = (name: string, more: Partial<Node> = {}) => fakeCluster(fakeClock()).addNode(name, more);
const { provider, donor } = lab();
const instance: ListedInstance = provider.state.pools.get(donor.ref.pool.id)!.instances[0]!;
const nowMs = 100 * 3_600_000;
const rules: CandidateRules = { nowMs, provenMs: PROVEN_MS };
const member = (name: string, more: Partial<Node> = {}) => ({ node: node(name, more), instance });

describe('rankCandidates', () => {
  it('ranks by the reasons against a node, then by how long it has been Ready', () => {
    const ranked = rankCandidates(
      [
        member('young', { readySinceMs: nowMs - 60_000 }),
        member('cordoned', { readySinceMs: 0, isUnschedulable: true, troubles: ['DiskPressure'] }),
        member('best', { readySinceMs: 0 }),
        member('good', { readySinceMs: 10 * 3_600_000 }),
      ],
      rules,
    );
    expect(ranked.map((c) => c.node)).toEqual(['best', 'good', 'young', 'cordoned']);
    expect(ranked[2]!.against).toEqual(['it has been Ready for less than 1h']);
    expect(ranked[3]!.against).toEqual(['it is cordoned', 'it reports DiskPressure']);
  });

  it('ranks one serious reason below two lesser ones', () => {
    const ranked = rankCandidates(
      [
        { ...member('spot', { readySinceMs: 0 }), instance: { ...instance, isSpot: true } },
        member('lesser', { readySinceMs: nowMs - 60_000, isUnschedulable: true }),
      ],
      rules,
    );
    expect(ranked.map((c) => c.node)).toEqual(['lesser', 'spot']);
  });
});

describe('compareObjections', () => {
  const objections = fc.array(fc.constantFrom(...OBJECTION_KINDS).map((kind) => ({ kind, reason: '' })));

  it('puts the most serious reason first, whatever else there is', () => {
    const worst = (all: readonly { kind: (typeof OBJECTION_KINDS)[number] }[]) =>
      Math.min(OBJECTION_KINDS.length, ...all.map(({ kind }) => OBJECTION_KINDS.indexOf(kind)));
    fc.assert(
      fc.property(objections, objections, (a, b) => {
        expect(compareObjections(a, b)).toBe(-compareObjections(b, a) || 0);
        if (worst(a) !== worst(b)) expect(compareObjections(a, b) > 0).toBe(worst(a) < worst(b));
      }),
    );
  });
});

describe('objectionsTo', () => {
  const kinds = (given: Node, more: Partial<CandidateRules> = {}, of: ListedInstance = instance) =>
    objectionsTo(given, of, [given], { ...rules, ...more }).map(({ kind }) => kind);

  it.each([
    [['node-1'], true],
    [['NODE-1'], true],
    [['pod-7', 'node-1.internal'], false],
    [['node'], false],
    [[''], false],
    [[], false],
  ])('knows the node that this process runs on by %j: %s', (ownNames, isOwn) => {
    expect(kinds(node('node-1'), { ownNames }).includes('own-node')).toBe(isOwn);
  });

  it('knows its own node by the short name of the host', () => {
    expect(kinds(node('node-1.example.internal'), { ownNames: ['node-1'] })).toContain('own-node');
  });

  it('is against instances of a version that is marked bad, and only those', () => {
    const image = { kind: 'version', id: '/Galleries/g/images/d/versions/2026.11.14' } as const;
    const badVersions = new Map([[image.id.toLowerCase(), 'rollback ordered 2026-11-15']]);
    const [found] = objectionsTo(node('a'), { ...instance, image }, [], { ...rules, badVersions });
    expect(found).toEqual({
      kind: 'unfit',
      reason: 'it was made from version 2026.11.14, which is marked bad (rollback ordered 2026-11-15)',
    });
    const other = { ...instance, image: { ...image, id: '/galleries/g/images/d/versions/2026.11.13' } };
    expect(kinds(node('a'), { badVersions }, other)).toEqual([]);
  });

  it.each(['control-plane', 'master'])('is against a node with the role %s', (role) => {
    expect(kinds(node('a', { labels: { [`node-role.kubernetes.io/${role}`]: '' } }))).toEqual(['unfit']);
  });
});

describe('a node that is Ready only since the last run restarted it', () => {
  const young = node('n', { readySinceMs: nowMs - 60_000 });
  const kinds = (lastRun: CandidateRules['lastRun']) =>
    objectionsTo(young, instance, [young], { ...rules, lastRun }).map(({ kind }) => kind);
  const ended = (afterReadyMs: number) => new Date(nowMs - 60_000 + afterReadyMs).toISOString();

  it('is not unproven for that, so that the same command continues at once', () => {
    expect(kinds({ outcome: 'failed', node: 'n', hasRestarted: true, endedAt: ended(5_000) })).toEqual([]);
  });

  it.each<[string, CandidateRules['lastRun']]>([
    ['there was no run', undefined],
    ['the run restarted nothing', { outcome: 'failed', node: 'n', endedAt: ended(5_000) }],
    ['the run had another donor', { outcome: 'failed', node: 'm', hasRestarted: true, endedAt: ended(5_000) }],
    ['it was Ready again after the run', { outcome: 'failed', node: 'n', hasRestarted: true, endedAt: ended(-1) }],
  ])('is unproven if %s', (_name, lastRun) => {
    expect(kinds(lastRun)).toEqual(['unproven']);
  });
});
