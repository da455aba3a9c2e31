// image/publish/channels.ts: which version does a channel mean, and may it mean another one? A promotion is a mark on a version; nothing is ever built again. Pure.
import type { Version } from '../../vms/gallery.ts';
import { compareComponentVersions } from '../manifest/compare-versions.ts';
import { IMAGE_TAGS } from './names.ts';

/** In the order a version goes through them. */
export const CHANNELS = ['dev', 'staging', 'stable'] as const;
export type ReleaseChannel = (typeof CHANNELS)[number];

/**
 * Since when a version is in a channel. The mark stays when another version takes the channel over, and the latest one counts: so a
 * promotion is one change of one version, with nothing in between to be cut off, and what was in a channel once can be seen.
 */
export function channelTag(channel: ReleaseChannel): string {
  return `headstart-channel-${channel}`;
}

/**
 * Since when it is no longer, and who took over: `2026-11-16T10:00:00.000Z 2026.1116.1`. Set once that one has its own mark. Without it
 * the channel would go back to this version, unasked, as soon as the other is deleted.
 */
export function leftTag(channel: ReleaseChannel): string {
  return `${channelTag(channel)}-left`;
}

/** The one that a channel means. Two marks of the same moment: the newer version. */
export function holderOf<V extends TaggedVersion>(versions: readonly V[], channel: ReleaseChannel): V | undefined {
  return versions
    .filter((version) => isIn(version, channel))
    .toSorted((a, b) => sinceMs(b, channel)! - sinceMs(a, channel)! || newer(b, a))[0];
}

/** The version that a channel meant, if that is gone and none has taken its place. */
export function lostHolder(versions: readonly TaggedVersion[], channel: ReleaseChannel): string | undefined {
  if (holderOf(versions, channel)) return undefined;
  const left = versions.flatMap((version) => leftFor(version, channel) ?? []);
  return left.toSorted((a, b) => b.atMs - a.atMs)[0]?.name;
}

export type TaggedVersion = Pick<Version, 'name' | 'tags'>;

export interface Promotion {
  /** All of them at once; empty: it may be done. */
  problems: string[];
  /** What will be different, in words. */
  changes: string[];
  tags: Readonly<Record<string, string>>;
  /** Marks of those that were in the channel, to be set afterwards. */
  leaving: readonly { name: string; tags: Readonly<Record<string, string>> }[];
  /** From now on it is among those that `latest` means. */
  isIncluded: boolean;
}

export interface TestedBytes {
  contentSha256: string;
  /** Of the disk that such a gallery takes. */
  diskSha256: string | undefined;
}

export interface PromotionTerms {
  channel: ReleaseChannel;
  nowMs: number;
  /** What a test of now has shown to be good. */
  tested?: TestedBytes | undefined;
  /** What the caller takes upon himself. */
  isUntestedAllowed: boolean;
  isSkippingAllowed: boolean;
  isDowngradeAllowed: boolean;
}

type Candidate = Pick<Version, 'name' | 'tags' | 'state' | 'isExcludedFromLatest'>;

/** `versions`: all of the definition, the one to be promoted among them. */
export function planPromotion(versions: readonly Candidate[], version: Candidate, terms: PromotionTerms): Promotion {
  const { channel } = terms;
  const content = version.tags[IMAGE_TAGS.content];
  const { tested } = terms;
  const isSameContent = content !== undefined && tested?.contentSha256 === content;
  const isProven =
    isSameContent && tested.diskSha256 !== undefined && tested.diskSha256 === version.tags[IMAGE_TAGS.disk];
  const isTested = isProven || isTestedVersion(version);
  const holder = holderOf(versions, channel);
  const lost = lostHolder(versions, channel);
  const isHolder = holder?.name === version.name;
  const isIncluded = version.isExcludedFromLatest && isTested;
  const at = stamp(terms.nowMs, versions, channel);
  const leaving = versions
    .filter((one) => one.name !== version.name && isIn(one, channel))
    .map(({ name }) => ({ name, tags: { [leftTag(channel)]: `${at} ${version.name}` } }));
  const problems = [
    ...(content === undefined ? [`${version.name} is no version that \`headstart image publish\` made`] : []),
    ...(version.state === 'ready' ? [] : [`${version.name} is ${version.state}, not ready`]),
    ...(tested !== undefined && !isSameContent
      ? [`the test is one of other content: ${tested.contentSha256.slice(0, 12)}, not ${content?.slice(0, 12)}`]
      : []),
    ...(isSameContent && !isProven
      ? [`the test is one of a disk with other bytes than ${version.name} was made of`]
      : []),
    ...(isTested || terms.isUntestedAllowed
      ? []
      : [`no test of ${version.name} has passed (--build FOLDER with its test, or --untested)`]),
    ...orderProblems(version, terms),
    ...(holder && newer(holder, version) > 0 && !terms.isDowngradeAllowed
      ? [`${channel} is at ${holder.name}, and ${version.name} is older (--allow-downgrade)`]
      : []),
    ...(lost !== undefined && newer({ name: lost }, version) > 0 && !terms.isDowngradeAllowed
      ? [`${channel} was at ${lost}, which is gone, and ${version.name} is older (--allow-downgrade)`]
      : []),
  ];
  const changes = [
    ...(isHolder ? [] : [moveOf(version, channel, holder)]),
    // What a promotion that was cut off has not got to.
    ...(isHolder ? leaving.map(({ name }) => `note that ${name} is not in ${channel} any more`) : []),
    ...(isProven && !isTestedVersion(version) ? [`mark ${version.name} as tested`] : []),
    ...(isIncluded ? [`offer ${version.name} as the latest`] : []),
  ];
  const tags = {
    ...(!isHolder && { [channelTag(channel)]: at }),
    ...(isProven && content !== undefined && { [IMAGE_TAGS.tested]: content }),
  };
  return { problems, changes, tags, leaving, isIncluded };
}

/** The test is one of what is in it, not of what it is called. */
export function isTestedVersion({ tags }: Pick<Version, 'tags'>): boolean {
  const content = tags[IMAGE_TAGS.content];
  return content !== undefined && tags[IMAGE_TAGS.tested] === content;
}

function orderProblems(version: Candidate, { channel, isSkippingAllowed }: PromotionTerms): string[] {
  const before = CHANNELS[CHANNELS.indexOf(channel) - 1];
  if (before === undefined || isSkippingAllowed || sinceMs(version, before) !== undefined) return [];
  return [`${version.name} has not been in ${before} (--skip-order)`];
}

function moveOf({ name }: Candidate, channel: ReleaseChannel, holder: Candidate | undefined): string {
  if (!holder) return `put ${name} into ${channel}`;
  const isBack = newer(holder, { name }) > 0;
  return `${isBack ? 'take' : 'move'} ${channel} ${isBack ? 'back ' : ''}from ${holder.name} to ${name}`;
}

/** Later than all marks it has to win over, whatever the clocks of the machines that set them. */
function stamp(nowMs: number, versions: readonly TaggedVersion[], channel: ReleaseChannel): string {
  const marks = versions.flatMap((one) => [sinceMs(one, channel) ?? 0, leftFor(one, channel)?.atMs ?? 0]);
  return new Date(Math.max(nowMs, ...marks.map((ms) => ms + 1))).toISOString();
}

/** Came, and has not left since. */
function isIn(version: TaggedVersion, channel: ReleaseChannel): boolean {
  const cameMs = sinceMs(version, channel);
  return cameMs !== undefined && (leftFor(version, channel)?.atMs ?? 0) < cameMs;
}

function leftFor({ tags }: Pick<Version, 'tags'>, channel: ReleaseChannel): { atMs: number; name: string } | undefined {
  const [at = '', name = ''] = (tags[leftTag(channel)] ?? '').split(' ');
  const atMs = Date.parse(at);
  return Number.isNaN(atMs) ? undefined : { atMs, name };
}

/** Undefined as well for what is no time: somebody else's mark is none. */
export function sinceMs({ tags }: Pick<Version, 'tags'>, channel: ReleaseChannel): number | undefined {
  const ms = Date.parse(tags[channelTag(channel)] ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

function newer(a: Pick<Version, 'name'>, b: Pick<Version, 'name'>): number {
  return compareComponentVersions('binary', a.name, b.name);
}
