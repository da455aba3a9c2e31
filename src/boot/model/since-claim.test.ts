import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { loadInputs } from '../load/load.ts';
import { timeline } from '../questions/timeline.ts';
import { span } from '../testing.ts';
import { type ClaimEvidence, type Evidence, evidence } from './evidence.ts';
import { mergeEvidence } from './merge-evidence.ts';
import type { Milestone } from './record.ts';
import { BEFORE_CLAIM, beforeClaim, GAUGES_BEFORE_CLAIM, SINCE_CLAIM, withoutPreparations } from './since-claim.ts';
import { anchor, merge, WALL } from './testing.ts';

const fixture = fileURLToPath(new URL('../fixtures/claimed-node', import.meta.url));
const load = () => loadInputs([fixture], { readStdin: () => new Uint8Array(), nowUs: WALL });
const names = ({ milestones }: { milestones: readonly Milestone[] }) => milestones.map(({ name }) => name);

describe('a stopped standby instance that booted when it was claimed', () => {
  it('has the record that it has without the claim', async () => {
    const boot = fileURLToPath(new URL('../fixtures/boots/node-boot.tar.gz', import.meta.url));
    const record = JSON.parse(readFileSync(join(fixture, 'headstart/claim.json'), 'utf8')) as object;
    const folder = mkdtempSync(join(tmpdir(), 'claim-'));
    try {
      const file = join(folder, 'claim.json');
      writeFileSync(file, JSON.stringify({ ...record, tier: 'stopped' }));
      const loadBoth = (inputs: string[]) => loadInputs(inputs, { readStdin: () => new Uint8Array(), nowUs: WALL });
      const [without, claimed] = [await loadBoth([boot]), await loadBoth([boot, file])];
      expect(claimed).toHaveLength(without.length);
      expect(claimed.map((one) => timeline(one))).toEqual(without.map((one) => timeline(one)));
      expect(claimed.flatMap(names)).toEqual(without.flatMap(names));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

const PARKED_US = 3 * 86_400e6;
/** The guest ran for 40 s, was parked for three days, and continued 0.2 s after the claim. */
function claimAfter(ranUs = 40e6, parkedUs = PARKED_US): ClaimEvidence {
  const claimedWallUs = WALL + ranUs + parkedUs;
  const at = (name: Milestone['name'], us: number): Milestone => ({
    ...{ name, source: 'platform' },
    atUs: claimedWallUs + us,
  });
  return {
    facts: { pool: 'p', instance: 'p-1', tier: 'frozen', parkedUs, ranUs, errorUs: 1000 },
    parkedWallUs: WALL + ranUs,
    claimedWallUs,
    thawedWallUs: claimedWallUs + 200_000,
    wallErrorUs: 1000,
    milestones: [at('claimed', 0), at('thawed', 200_000), at('woken', 300_000)],
  };
}
const claimed = (claim = claimAfter()) => evidence({ kind: 'claim', input: 'c', clock: 'wall', claim });
const clusterSaw = (...milestones: Milestone[]) =>
  evidence({ kind: 'cluster-events', input: 'e', clock: 'wall', milestones });
const ready = (atUs: number, errorUs = 1500): Milestone => ({ name: 'node-ready', atUs, errorUs, source: 'cluster' });
const journal = (more: Partial<Evidence> = {}) =>
  evidence({ kind: 'journal-json', input: 'j', clock: 'monotonic', anchors: [anchor()], ...more });

describe('a claimed standby instance', () => {
  it('has one record until it was parked and one since its claim, and the time in between is in neither', async () => {
    const [before, after, ...more] = await load();
    expect(more).toEqual([]);
    expect([before!.name, after!.name]).toEqual([BEFORE_CLAIM, SINCE_CLAIM]);
    expect(after!.milestones.map(({ name, atUs }) => [name, atUs])).toEqual([
      ['claimed', 0],
      ['node-created', 24_000],
      ['thawed', 190_000],
      ['woken', 330_000],
      ['node-ready', 1_080_000],
      ['pod-running', 15_400_000],
    ]);
    expect(before!.milestones.find(({ name }) => name === 'node-ready')?.atUs).toBe(18_800_000);
    expect(names(before!)).not.toContain('vm-created');
    expect(timeline(before!).totalUs).toBe(18_800_000);
    expect(timeline(after!)).toMatchObject({
      ...{ totalUs: 1_080_000, endsAt: 'node-ready' },
      parked: { name: 'parked, frozen', kind: 'wait', tookUs: 7_401_100_000 },
    });
    expect(after!.clock.zero).toBe('claim');
  });

  it('does not use the gauges of kubelet, which it set before the freeze, and says so', async () => {
    const [before, after] = await load();
    expect(after!.notes.map(({ text }) => text)).toContain(GAUGES_BEFORE_CLAIM);
    expect(before!.notes.map(({ text }) => text)).not.toContain(GAUGES_BEFORE_CLAIM);
    expect(after!.milestones.every(({ source }) => source !== 'kubelet')).toBe(true);
  });

  it('is unknown from the claim to Ready if only kubelet of before the freeze says when it was Ready', () => {
    const kubelet = journal({ milestones: [{ name: 'node-ready', atUs: 20e6, source: 'kubelet' }] });
    const [before, after] = merge(kubelet, claimed());
    expect(names(before!)).toContain('node-ready');
    expect(names(after!)).toEqual(['claimed', 'thawed', 'woken']);
    expect(timeline(after!).endsAt).toBe('last event');
  });

  it('has steps that add up to the time until Ready, and none that a stamp in whole seconds would measure', () => {
    const took = (errorUs: number) => {
      const [, after] = merge(
        journal({ spans: [span('kernel:x', 1, 2)] }),
        claimed(),
        clusterSaw(ready(claimAfter().claimedWallUs + 1e6, errorUs)),
      );
      return after!.spans
        .filter(({ id }) => id !== 'claim:node')
        .map(({ id, startUs, endUs }) => [id, endUs - startUs]);
    };
    expect(took(1500)).toEqual([
      ['claim:thaw', 200_000],
      ['claim:wake', 100_000],
      ['claim:report', 700_000],
    ]);
    expect(took(1e6).map(([id]) => id)).toEqual(['claim:thaw', 'claim:wake']);
  });

  it('puts each instant of the guest on one side, whenever it was parked and however long', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 5e6, max: 90e6 }),
        fc.integer({ min: 1e6, max: 1e12 }),
        fc.integer({ min: 1, max: 60e6 }),
        (ranUs, parkedUs, afterUs) => {
          const claim = claimAfter(ranUs, parkedUs);
          const work = [
            span('kernel:early', 1, 2),
            { ...span('kubelet:late', 0, 1), startUs: ranUs + 2000 + afterUs, endUs: ranUs + 2000 + afterUs },
          ];
          const [before, after] = merge(
            journal({ spans: work }),
            claimed(claim),
            clusterSaw(ready(claim.claimedWallUs + afterUs)),
          );
          expect(before!.spans.map(({ id }) => id)).toEqual(['kernel:early']);
          expect(after!.spans.find(({ id }) => id === 'kubelet:late')?.startUs).toBe(202_000 + afterUs);
          expect(after!.milestones.find(({ name }) => name === 'node-ready')?.atUs).toBe(afterUs);
          expect(timeline(after!).totalUs).toBe(Math.max(afterUs, 0));
        },
      ),
    );
  });

  it('is read again from its exported record as it was', async () => {
    const [, after] = await load();
    const again = mergeEvidence([
      { isFolder: false, evidence: [evidence({ kind: 'boot-record', input: 'r', clock: 'wall', finished: after! })] },
    ]);
    expect(again).toEqual([after]);
  });
});

describe('beforeClaim', () => {
  it('keeps what the guest did before it was parked, on any clock', () => {
    const claim = claimAfter();
    const at = (atUs: number): Milestone => ({ name: 'kubelet-started', atUs, source: 'kubelet' });
    const kept = (piece: Evidence) => beforeClaim(piece, claim).milestones.map(({ atUs }) => atUs);
    expect(kept(journal({ milestones: [at(39e6), at(41e6)] }))).toEqual([39e6]);
    expect(kept(clusterSaw(at(WALL + 39e6), at(claim.claimedWallUs)))).toEqual([WALL + 39e6]);
  });
});

describe('withoutPreparations', () => {
  it('drops the boot before each claim, and no other', async () => {
    const [before, after] = await load();
    expect(withoutPreparations([before!, after!])).toEqual([after]);
    expect(withoutPreparations([before!])).toEqual([before]);
  });
});
