import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { memoryInput } from '../../input.ts';
import { sourceSuite } from '../source.suite.ts';
import { claimSource } from './claim.ts';

const recorded = readFileSync(new URL('../../../fixtures/claimed-node/headstart/claim.json', import.meta.url), 'utf8');
sourceSuite(claimSource, recorded);

type Json = Record<string, unknown>;
const read = (change: (claim: Json) => Json = (claim) => claim) =>
  claimSource.parse(memoryInput('c', JSON.stringify(change(JSON.parse(recorded) as Json))))[0]!;
const step = (name: string, at: string) => ({ name, at });
const withReading = (change: Json) => (claim: Json) => ({
  ...claim,
  reading: { ...(claim.reading as Json), ...change },
});
const claimedStep = step('claimed', '2026-11-17T10:04:03Z');
const CLAIMED = Date.UTC(2026, 10, 17, 10, 4, 3);

describe('claimSource', () => {
  it.each<[string, (claim: Json) => Json]>([
    ['stopped', ({ reading: _, ...claim }) => ({ ...claim, tier: 'stopped', steps: [claimedStep] })],
    ['cold', ({ reading: _, frozenAt: __, ...claim }) => ({ ...claim, tier: 'cold', steps: [claimedStep] })],
    ['stopped, with a reading', (claim) => ({ ...claim, tier: 'stopped' })],
  ])('places nothing for an instance that booted (%s), which is normal', (_, change) => {
    const { claim, notes, milestones, spans, anchors } = read(change);
    expect({ claim, milestones, spans, anchors }).toEqual({
      ...{ claim: undefined, milestones: [], spans: [], anchors: [] },
    });
    expect(notes).toMatchObject([{ level: 'info', text: expect.stringMatching(/booted when it was claimed/) }]);
  });

  it('says how long the instance was parked, and where its monotonic clock stood still', () => {
    const { claim, notes, bootId, anchors } = read();
    expect([notes, anchors]).toEqual([[], []]);
    expect(bootId).toBe('5e1f2d3c4b5a69788796a5b4c3d2e1f0');
    expect(claim!.facts).toMatchObject({ instance: 'pool-000003', tier: 'frozen', parkedUs: 7_401_100_000 });
    expect(Math.abs(claim!.facts.ranUs - 41_200_000)).toBeLessThanOrEqual(claim!.facts.errorUs);
    expect(claim!.facts.errorUs).toBeLessThan(100_000);
  });

  it("has the steps on the guest's clock", () => {
    const { milestones, claimedWallUs } = read().claim!;
    expect(claimedWallUs).toBe((CLAIMED - 60) * 1000);
    expect(milestones.map(({ name, atUs }) => [name, atUs - claimedWallUs])).toEqual([
      ['claimed', 0],
      ['node-created', 24_000],
      ['thawed', 190_000],
      ['woken', 330_000],
    ]);
  });

  it.each<[string, (claim: Json) => Json, RegExp]>([
    ['no reading of the clocks', ({ reading: _, ...claim }) => claim, /no reading of the guest's clocks/],
    [
      'no thaw',
      (claim) => ({ ...claim, steps: [step('claimed', '2026-11-17T10:04:03Z')] }),
      /when .* claimed and thawed/,
    ],
    ['a claim before its freeze', (claim) => ({ ...claim, frozenAt: '2026-11-17T11:00:00Z' }), /was set back/],
    ['another tier', (claim) => ({ ...claim, tier: 'warm' }), /unknown format/],
    [
      'a guest that restarted since',
      withReading({ uptime: { uptimeMs: 5_000, hostBeforeMs: CLAIMED + 30_015, hostAfterMs: CLAIMED + 30_115 } }),
      /has restarted since/,
    ],
    [
      'a claim after the reading',
      withReading({ clock: { guestMs: CLAIMED - 9_000, hostBeforeMs: CLAIMED - 9_000, hostAfterMs: CLAIMED - 9_000 } }),
      /claimed after this was collected/,
    ],
  ])('places nothing with %s, and says why', (_, change, why) => {
    const { claim, notes } = read(change);
    expect(claim).toBeUndefined();
    expect(notes).toMatchObject([{ level: 'warning', text: expect.stringMatching(why) }]);
  });
});
