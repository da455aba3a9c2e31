import { describe, expect, it } from 'vitest';
import type { Version } from '../../vms/gallery.ts';
import type { Snapshot } from '../../vms/snapshots.ts';
import { TAGS } from '../names.ts';
import { lab } from '../testing.ts';
import { OBJECTION_KINDS, type Objection } from './candidates.ts';
import { isCaptured, namedNotes, namedRefusals } from './named-donor.ts';

const who = { node: 'n1', pool: 'pool1' };
const all: Objection[] = OBJECTION_KINDS.map((kind) => ({ kind, reason: `it is ${kind}` }));
const codesOf = (objections: Objection[], accepted: Parameters<typeof namedRefusals>[2]) =>
  namedRefusals(who, objections, accepted).map(({ code }) => code);

describe('namedRefusals', () => {
  it('names the flag that allows each kind of fault', () => {
    const refusals = namedRefusals(who, all, { mayBeUnpatched: false });
    expect(refusals.map(({ code, next }) => [code, /--(?:allow-\w+|ready-for 0)/.exec(next)?.[0]])).toEqual([
      ['prototype/own-node', undefined],
      ['prototype/unfit-donor', '--allow-unfit'],
      ['prototype/unpatched', '--allow-unpatched'],
      ['prototype/unproven-donor', '--ready-for 0'],
    ]);
    expect(refusals[1]!.reason).toBe('n1 is not fit to be a donor: it is unfit');
  });

  it('accepts what the operator accepts, but never the node that the run is on', () => {
    expect(codesOf(all, { mayBeUnpatched: true, mayBeUnfit: true })).toEqual([
      'prototype/own-node',
      'prototype/unproven-donor',
    ]);
    expect(codesOf([], { mayBeUnpatched: false })).toEqual([]);
  });
});

describe('namedNotes', () => {
  const { donor } = lab();

  it('has what is worth knowing and no reason to refuse', () => {
    expect(namedNotes('n1', all, { ...donor, isOnLatestModel: false })).toEqual([
      'n1 is cordoned, and stays so after the run',
      'n1 is not on the latest model of its pool',
    ]);
    expect(namedNotes('n1', [], donor)).toEqual([]);
    const { isOnLatestModel: _, ...unknown } = donor;
    expect(namedNotes('n1', [], unknown)).toEqual([]);
  });
});

describe('isCaptured', () => {
  const donor = { node: 'n1', vmId: '00000000-0000-4000-8000-000000000001' };
  const today = '2026.11.15';
  const tags = { [TAGS.donor]: 'n1', [TAGS.donorVmId]: donor.vmId, [TAGS.version]: today };
  const snapshot = (more: Partial<Snapshot> = {}): Snapshot => ({
    ...{ name: 's', id: '/s', state: 'complete', percent: 100, sourceDiskId: '/d', createdMs: 0, tags },
    ...more,
  });
  const version = (more: Partial<Version> = {}): Version => ({
    ...{ name: today, id: '/v', state: 'ready', percent: 100, isExcludedFromLatest: false, replicas: 3 },
    ...{ redundancy: 'zone', sizeGb: 30, createdMs: 0, tags },
    ...more,
  });
  const old = { ...tags, [TAGS.version]: '2026.11.14' };

  it.each<[string, Snapshot | undefined, Version[], boolean]>([
    ['nothing', undefined, [], false],
    ['the version of today', undefined, [version()], true],
    ['a failed version of today', undefined, [version({ state: 'failed' })], false],
    ['the version of another day', undefined, [version({ name: '2026.11.14' })], false],
    ['a version of another donor', undefined, [version({ tags: { ...tags, [TAGS.donor]: 'n2' } })], false],
    ['a version of an earlier machine', undefined, [version({ tags: { ...tags, [TAGS.donorVmId]: 'other' } })], false],
    ['a snapshot for today', snapshot(), [], true],
    ['a failed snapshot', snapshot({ state: 'failed' }), [], false],
    ['a snapshot of an earlier day without a version', snapshot({ tags: old }), [], false],
    [
      'a snapshot of an earlier day whose version was begun',
      snapshot({ tags: old }),
      [version({ name: '2026.11.14' })],
      true,
    ],
  ])('with %s', (_, found, versions, expected) => {
    expect(isCaptured(donor, { snapshot: found, versions, today })).toBe(expected);
  });
});
