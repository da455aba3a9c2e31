import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Node } from '../../cluster/cluster.ts';
import type { Version } from '../../vms/gallery.ts';
import type { Instance } from '../../vms/pools.ts';
import type { Snapshot } from '../../vms/snapshots.ts';
import { DONOR_TAG, PRIOR_ANNOTATION, TAGS } from '../names.ts';
import { lab } from '../testing.ts';
import { type CandidateMember, chooseDonor, type ObservedPool } from './choose-donor.ts';

const { cluster, provider, ref } = lab();
const instances: Instance[] = provider.state.pools.get(ref.pool.id)!.instances;
const NOW_MS = 100 * 3_600_000;
const TODAY = '2026.11.15';

const member = (i: number, node: Partial<Node> = {}, instance: Partial<Instance> = {}): CandidateMember => {
  const { computerName } = instances[i]!;
  const base: Node = { ...cluster.nodes.get(computerName)!, readySinceMs: i * 3_600_000 };
  return { node: { ...base, ...node }, instance: { ...instances[i]!, ...instance } };
};
const nameOf = (i: number) => instances[i]!.computerName;
const snapshotOf = (donor: string): Snapshot => ({
  ...{ name: 's', id: '/s', state: 'complete', percent: 100, sourceDiskId: '/d', createdMs: 0 },
  tags: { [TAGS.donor]: donor },
});
const versionOf = (donor: string, name = TODAY): Version => ({
  ...{ name, id: `/v/${name}`, state: 'ready', percent: 100, isExcludedFromLatest: false, replicas: 3 },
  ...{ redundancy: 'zone', sizeGb: 30, createdMs: 0, tags: { [TAGS.donor]: donor } },
});
const OUT = { annotations: { [PRIOR_ANNOTATION]: '{}' } };
const seen = (more: Partial<ObservedPool<CandidateMember>> = {}): ObservedPool<CandidateMember> => ({
  members: [member(0), member(1), member(2)],
  ...{ snapshot: undefined, versions: [], today: TODAY, nowMs: NOW_MS, mayBeUnpatched: false, provenMs: 3_600_000 },
  ...more,
});

describe('chooseDonor', () => {
  it('chooses the best candidate and gives the reason', () => {
    expect(chooseDonor(seen())).toMatchObject({
      donor: { node: { name: nameOf(0) } },
      because: expect.stringContaining('on the latest model'),
      strays: [],
    });
  });

  it('chooses the donor whose disk an unfinished run has copied, even if others are better', () => {
    const choice = chooseDonor(seen({ snapshot: snapshotOf(nameOf(2)) }));
    expect(choice).toMatchObject({ donor: { node: { name: nameOf(2) } }, because: expect.stringContaining('copied') });
  });

  it.each([
    ['its node', member(1, OUT)],
    ['its instance', member(1, {}, { tags: { [DONOR_TAG]: 'run 00' } })],
  ])('chooses the donor that a run left out of service, by the mark on %s', (_, out) => {
    const choice = chooseDonor(seen({ members: [member(0), out, member(2)] }));
    expect(choice).toMatchObject({ donor: out, because: expect.stringContaining('out of service'), strays: [] });
  });

  it('does not take a machine that replaced the donor under its name for the donor', () => {
    const other = { [TAGS.donor]: nameOf(2), [TAGS.donorVmId]: '00000000-0000-4000-8000-00000000dead' };
    const snapshot = { ...snapshotOf(nameOf(2)), tags: other };
    const versions = [{ ...versionOf(nameOf(2)), tags: other }];
    for (const more of [{ snapshot }, { versions }])
      expect(chooseDonor(seen(more))).toMatchObject({ donor: { node: { name: nameOf(0) } } });
    const same = { ...other, [TAGS.donorVmId]: instances[2]!.vmId.toUpperCase() };
    expect(chooseDonor(seen({ snapshot: { ...snapshot, tags: same } }))).toMatchObject({
      donor: { node: { name: nameOf(2) } },
    });
  });

  it('returns other donors that are out of service as strays', () => {
    const members = [member(0, OUT), member(1, OUT), member(2)];
    const choice = chooseDonor(seen({ members, snapshot: snapshotOf(nameOf(2)) }));
    expect(choice?.donor).toBe(members[2]);
    expect(choice?.strays).toEqual([members[0], members[1]]);
    expect(chooseDonor(seen({ members }))?.strays).toEqual([members[1]]);
  });

  it("chooses the donor of today's version, so that a second run on one day does nothing", () => {
    const versions = [versionOf(nameOf(0), '2026.11.14'), versionOf(nameOf(2))];
    expect(chooseDonor(seen({ versions }))?.donor.node.name).toBe(nameOf(2));
    expect(chooseDonor(seen({ versions: [{ ...versions[1]!, state: 'failed' }] }))?.donor.node.name).toBe(nameOf(0));
  });

  it('ignores a donor whose node is gone', () => {
    expect(chooseDonor(seen({ snapshot: snapshotOf('gone') }))?.donor.node.name).toBe(nameOf(0));
  });

  it('chooses an unpatched node only if that is allowed', () => {
    const members = [member(0, { annotations: { 'reboot-required': 'true' } }), member(1, { isReady: false })];
    expect(chooseDonor(seen({ members }))).toBeUndefined();
    expect(chooseDonor(seen({ members, mayBeUnpatched: true }))?.donor).toBe(members[0]);
  });

  it('chooses an unfit node only if that is allowed', () => {
    const members = [member(0, { troubles: ['DiskPressure'] })];
    expect(chooseDonor(seen({ members }))).toBeUndefined();
    expect(chooseDonor(seen({ members, mayBeUnfit: true }))?.donor).toBe(members[0]);
  });

  it('never chooses the node it runs on, except to finish what needs no drain', () => {
    const ownNames = [nameOf(0)];
    expect(chooseDonor(seen({ ownNames }))?.donor.node.name).toBe(nameOf(1));
    const members = [member(0, OUT), member(1)];
    expect(chooseDonor(seen({ ownNames, members }))).toMatchObject({ donor: members[1], strays: [members[0]] });
    expect(chooseDonor(seen({ ownNames, versions: [versionOf(nameOf(0))] }))?.donor.node.name).toBe(nameOf(0));
  });

  it('never chooses a node with other reasons against it, and always one of the pool', () => {
    const anyMember = fc.record({ i: fc.nat(2), isReady: fc.boolean(), isOut: fc.boolean(), isSpot: fc.boolean() });
    fc.assert(
      fc.property(fc.uniqueArray(anyMember, { selector: ({ i }) => i }), fc.boolean(), (drawn, mayBeUnpatched) => {
        const members = drawn.map(({ i, isReady, isOut, isSpot }) =>
          member(i, { isReady, ...(isOut && OUT) }, { isSpot }),
        );
        const choice = chooseDonor(seen({ members, mayBeUnpatched }));
        const strays = members.filter((_, at) => drawn[at]!.isOut);
        const fit = drawn.filter((one) => one.isOut || (one.isReady && !one.isSpot));
        expect(choice === undefined).toBe(fit.length === 0);
        if (!choice) return;
        expect(members).toContain(choice.donor);
        expect(new Set([choice.donor, ...choice.strays].filter((m) => strays.includes(m)))).toEqual(new Set(strays));
        if (!strays.includes(choice.donor)) {
          expect(choice.donor.node.isReady).toBe(true);
          expect(choice.donor.instance.isSpot).toBe(false);
        }
      }),
    );
  });
});
