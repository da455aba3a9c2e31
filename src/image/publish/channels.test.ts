import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CHANNELS, channelTag, holderOf, lostHolder, planPromotion, type ReleaseChannel } from './channels.ts';
import { emptyChannelsOf, imagesOf } from './gallery-list.ts';
import { IMAGE_TAGS } from './names.ts';

const TERMS = {
  nowMs: 1_800_000_000_000,
  isUntestedAllowed: false,
  isSkippingAllowed: false,
  isDowngradeAllowed: false,
};
const ANY = { ...TERMS, isSkippingAllowed: true, isDowngradeAllowed: true };

function version(name: string, tags: Record<string, string> = {}, isExcludedFromLatest = false) {
  const content = `content of ${name}`;
  const own = {
    [IMAGE_TAGS.content]: content,
    [IMAGE_TAGS.disk]: `disk of ${name}`,
    [IMAGE_TAGS.tested]: content,
    ...tags,
  };
  const rest = { percent: 100, replicas: 1, redundancy: 'local', sizeGb: 4, createdMs: 0 } as const;
  return { name, id: name, state: 'ready' as const, isExcludedFromLatest, tags: own, ...rest };
}
type V = ReturnType<typeof version>;

/** Returns the gallery after the promotion; with `isCutOff`, after only its first change. */
function promote(versions: V[], name: string, channel: ReleaseChannel, terms = ANY, isCutOff = false): V[] {
  const one = versions.find((candidate) => candidate.name === name)!;
  const { problems, tags, leaving } = planPromotion(versions, one, { ...terms, channel });
  if (problems.length > 0) return versions;
  const changes = new Map([[name, tags], ...(isCutOff ? [] : leaving.map((each) => [each.name, each.tags] as const))]);
  return versions.map((each) => ({ ...each, tags: { ...each.tags, ...changes.get(each.name) } }));
}

const names = ['2026.1109.0', '2026.1116.0', '2026.1116.1', '2026.1116.10'];

describe('a channel', () => {
  it('is at the version that was promoted last, regardless of clock differences', () => {
    const move = fc.record({
      name: fc.constantFrom(...names),
      channel: fc.constantFrom(...CHANNELS),
      nowMs: fc.nat(),
      isCutOff: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(move, { minLength: 1 }), (moves) => {
        let versions = names.map((name) => version(name));
        const expected = new Map<ReleaseChannel, string>();
        for (const { name, channel, nowMs, isCutOff } of moves) {
          versions = promote(versions, name, channel, { ...ANY, nowMs }, isCutOff);
          expected.set(channel, name);
        }
        for (const channel of CHANNELS) expect(holderOf(versions, channel)?.name).toBe(expected.get(channel));
      }),
    );
  });

  it('is empty once its version is deleted, instead of returning to the one before', () => {
    const moves = fc.array(fc.constantFrom(...names), { minLength: 1 });
    fc.assert(
      fc.property(moves, fc.array(fc.boolean()), (order, cuts) => {
        let versions = names.map((name) => version(name));
        for (const [i, name] of order.entries()) versions = promote(versions, name, 'dev', ANY, cuts[i] ?? false);
        // Earlier promotions may be interrupted; the last one completes.
        const last = order.at(-1)!;
        versions = promote(versions, last, 'dev').filter(({ name }) => name !== last);
        expect(holderOf(versions, 'dev')).toBeUndefined();
        const isKnown = order.some((name) => name !== last);
        expect(lostHolder(versions, 'dev')).toBe(isKnown ? last : undefined);
        expect(emptyChannelsOf({ name: 'node-1.35.8' } as never, versions)).toHaveLength(isKnown ? 1 : 0);
      }),
    );
  });

  it('does not move to a version older than its deleted one, unless that is allowed', () => {
    let versions = names.map((name) => version(name));
    for (const name of [names[0]!, names[2]!]) versions = promote(versions, name, 'dev', TERMS);
    versions = versions.filter(({ name }) => name !== names[2]);
    const plan = (name: string, terms = TERMS) =>
      planPromotion(versions, versions.find((one) => one.name === name)!, { ...terms, channel: 'dev' });
    expect(plan(names[1]!).problems.join()).toContain('was at 2026.1116.1, which was deleted');
    expect(plan(names[1]!, { ...TERMS, isDowngradeAllowed: true }).problems).toEqual([]);
    expect(plan(names[3]!).problems).toEqual([]);
  });

  it('does not move to an older version unless that is allowed', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: 1 }), (order) => {
        let versions = names.map((name) => version(name));
        for (const name of order) versions = promote(versions, name, 'dev', TERMS);
        const newest = names.findLast((name) => order.includes(name));
        expect(holderOf(versions, 'dev')?.name).toBe(newest);
      }),
    );
  });

  it('accepts a version that was in the previous channel, even if that channel has moved on', () => {
    const versions = names.map((name) => version(name));
    const direct = planPromotion(versions, versions[0]!, { ...TERMS, channel: 'staging' });
    expect(direct.problems).toEqual(['2026.1109.0 has not been in dev (--skip-order)']);
    const later = promote(promote(versions, names[0]!, 'dev'), names[1]!, 'dev');
    expect(planPromotion(later, later[0]!, { ...TERMS, channel: 'staging' }).problems).toEqual([]);
  });

  it('reports which versions it moves back from and to', () => {
    const versions = [version(names[0]!), version(names[1]!, { [channelTag('dev')]: '2026-11-16T00:00:00.000Z' })];
    const terms = { ...TERMS, channel: 'dev' as const };
    expect(planPromotion(versions, versions[0]!, terms).problems).toEqual([
      'dev is at 2026.1116.0, and 2026.1109.0 is older (--allow-downgrade)',
    ]);
    expect(planPromotion(versions, versions[0]!, { ...terms, isDowngradeAllowed: true }).changes).toEqual([
      'move dev back from 2026.1116.0 to 2026.1109.0',
    ]);
  });

  it('needs no change if the version is promoted again', () => {
    const versions = promote([version(names[0]!)], names[0]!, 'dev');
    const again = planPromotion(versions, versions[0]!, { ...TERMS, channel: 'dev' });
    expect(again).toEqual({ problems: [], changes: [], tags: {}, leaving: [], isIncluded: false });
  });

  it('ignores a tag that is not a time', () => {
    expect(holderOf([version(names[0]!, { [channelTag('dev')]: 'yes' })], 'dev')).toBeUndefined();
  });
});

describe('an untested version', () => {
  const untested = version(names[1]!, { [IMAGE_TAGS.tested]: 'other content' }, true);
  const plan = (more: object) => planPromotion([untested], untested, { ...TERMS, channel: 'dev', ...more });

  it('is not promoted by default', () => {
    expect(plan({}).problems.join()).toContain('no test of 2026.1116.0 has passed');
  });

  it('stays excluded from latest if it is promoted untested', () => {
    expect(plan({ isUntestedAllowed: true })).toMatchObject({ problems: [], isIncluded: false });
  });

  it('is tagged as tested and included once a test of the same bytes passed', () => {
    const content = `content of ${names[1]}`;
    const diskSha256 = `disk of ${names[1]}`;
    const shown = plan({ tested: { contentSha256: content, diskSha256 } });
    expect(shown).toMatchObject({ problems: [], isIncluded: true, tags: { [IMAGE_TAGS.tested]: content } });
    expect(plan({ tested: { contentSha256: 'of another build', diskSha256 } }).problems.join()).toContain(
      'other content',
    );
    expect(plan({ tested: { contentSha256: content, diskSha256: 'another' } }).problems.join()).toContain(
      'other bytes',
    );
  });
});

describe('imagesOf', () => {
  it('lists each version with the channels that are at it now', () => {
    const versions = promote(
      promote(
        names.map((name) => version(name)),
        names[0]!,
        'dev',
      ),
      names[3]!,
      'dev',
    );
    const foreign = { ...version('1.0.0'), tags: {} };
    const images = imagesOf({ gallery: 'g', name: 'node-1.35.8' } as never, [...versions, foreign]);
    expect(images.map((image) => [image.version, image.channels])).toEqual([
      ['2026.1116.10', ['dev']],
      ['2026.1116.1', []],
      ['2026.1116.0', []],
      ['2026.1109.0', []],
    ]);
  });
});
