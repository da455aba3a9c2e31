// image/publish/channels.ts: which version is a channel at, and may it move to another one? A promotion only tags a version; it never rebuilds. Pure.
import type { Version } from '../../vms/gallery.ts';
import { compareComponentVersions } from '../manifest/compare-versions.ts';
import { IMAGE_TAGS } from './names.ts';

/** A version passes through them in this order. */
export const CHANNELS = ['dev', 'staging', 'stable'] as const;
export type ReleaseChannel = (typeof CHANNELS)[number];

/**
 * When a version entered a channel. The tag stays when another version takes over, and the latest tag counts. So a promotion is one
 * atomic change of one version, and the history of a channel stays visible.
 */
export function channelTag(channel: ReleaseChannel): string {
  return `headstart-channel-${channel}`;
}

/**
 * When a version left a channel, and its successor: `2026-11-16T10:00:00.000Z 2026.1116.1`. Set after the successor has its tag.
 * Without it the channel would silently return to this version when the successor is deleted.
 */
export function leftTag(channel: ReleaseChannel): string {
  return `${channelTag(channel)}-left`;
}

/** The version that a channel is at. With equal times, the newer version wins. */
export function holderOf<V extends TaggedVersion>(versions: readonly V[], channel: ReleaseChannel): V | undefined {
  return versions
    .filter((version) => isIn(version, channel))
    .toSorted((a, b) => sinceMs(b, channel)! - sinceMs(a, channel)! || newer(b, a))[0];
}

/** The version that a channel was at, if it was deleted and no other version took over. */
export function lostHolder(versions: readonly TaggedVersion[], channel: ReleaseChannel): string | undefined {
  if (holderOf(versions, channel)) return undefined;
  const left = versions.flatMap((version) => leftFor(version, channel) ?? []);
  return left.toSorted((a, b) => b.atMs - a.atMs)[0]?.name;
}

export type TaggedVersion = Pick<Version, 'name' | 'tags'>;

export interface Promotion {
  /** All problems; empty if the promotion is allowed. */
  problems: string[];
  /** One phrase per change. */
  changes: string[];
  tags: Readonly<Record<string, string>>;
  /** Tags for the versions that leave the channel, to be set afterwards. */
  leaving: readonly { name: string; tags: Readonly<Record<string, string>> }[];
  /** The version becomes a candidate for `latest`. */
  isIncluded: boolean;
}

export interface TestedBytes {
  contentSha256: string;
  /** sha256 of the disk in the format that this gallery publishes. */
  diskSha256: string | undefined;
}

export interface PromotionTerms {
  channel: ReleaseChannel;
  nowMs: number;
  /** Bytes that passed a test just now. */
  tested?: TestedBytes | undefined;
  isUntestedAllowed: boolean;
  isSkippingAllowed: boolean;
  isDowngradeAllowed: boolean;
}

type Candidate = Pick<Version, 'name' | 'tags' | 'state' | 'isExcludedFromLatest'>;

/** `versions`: all versions of the definition, including the one to promote. */
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
    ...(content === undefined ? [`${version.name} was not published by \`headstart image publish\``] : []),
    ...(version.state === 'ready' ? [] : [`${version.name} is ${version.state}, not ready`]),
    ...(tested !== undefined && !isSameContent
      ? [`the test is for other content: expected ${content?.slice(0, 12)}, got ${tested.contentSha256.slice(0, 12)}`]
      : []),
    ...(isSameContent && !isProven ? [`the tested disk has other bytes than the disk of ${version.name}`] : []),
    ...(isTested || terms.isUntestedAllowed
      ? []
      : [`no test of ${version.name} has passed (--build FOLDER with its test, or --untested)`]),
    ...orderProblems(version, terms),
    ...(holder && newer(holder, version) > 0 && !terms.isDowngradeAllowed
      ? [`${channel} is at ${holder.name}, and ${version.name} is older (--allow-downgrade)`]
      : []),
    ...(lost !== undefined && newer({ name: lost }, version) > 0 && !terms.isDowngradeAllowed
      ? [`${channel} was at ${lost}, which was deleted, and ${version.name} is older (--allow-downgrade)`]
      : []),
  ];
  const changes = [
    ...(isHolder ? [] : [moveOf(version, channel, holder)]),
    // An interrupted promotion may not have set these tags.
    ...(isHolder ? leaving.map(({ name }) => `record that ${name} left ${channel}`) : []),
    ...(isProven && !isTestedVersion(version) ? [`mark ${version.name} as tested`] : []),
    ...(isIncluded ? [`offer ${version.name} as the latest`] : []),
  ];
  const tags = {
    ...(!isHolder && { [channelTag(channel)]: at }),
    ...(isProven && content !== undefined && { [IMAGE_TAGS.tested]: content }),
  };
  return { problems, changes, tags, leaving, isIncluded };
}

/** The tag names the tested content, so it does not apply to a version with other content. */
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
  return `move ${channel} ${isBack ? 'back ' : ''}from ${holder.name} to ${name}`;
}

/** Later than every existing tag, even if other machines' clocks are ahead. */
function stamp(nowMs: number, versions: readonly TaggedVersion[], channel: ReleaseChannel): string {
  const marks = versions.flatMap((one) => [sinceMs(one, channel) ?? 0, leftFor(one, channel)?.atMs ?? 0]);
  return new Date(Math.max(nowMs, ...marks.map((ms) => ms + 1))).toISOString();
}

function isIn(version: TaggedVersion, channel: ReleaseChannel): boolean {
  const cameMs = sinceMs(version, channel);
  return cameMs !== undefined && (leftFor(version, channel)?.atMs ?? 0) < cameMs;
}

function leftFor({ tags }: Pick<Version, 'tags'>, channel: ReleaseChannel): { atMs: number; name: string } | undefined {
  const [at = '', name = ''] = (tags[leftTag(channel)] ?? '').split(' ');
  const atMs = Date.parse(at);
  return Number.isNaN(atMs) ? undefined : { atMs, name };
}

/** Undefined if the tag is missing or not a valid time. */
export function sinceMs({ tags }: Pick<Version, 'tags'>, channel: ReleaseChannel): number | undefined {
  const ms = Date.parse(tags[channelTag(channel)] ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

function newer(a: Pick<Version, 'name'>, b: Pick<Version, 'name'>): number {
  return compareComponentVersions('binary', a.name, b.name);
}
