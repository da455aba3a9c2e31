// image/channels.ts: which version does a channel mean, and may it mean another one? A promotion is a mark on a version; nothing is ever built again. Pure.
import type { Version } from '../vms/factory.ts';
import { compareVersions } from './compare-versions.ts';
import { IMAGE_TAGS } from './names.ts';

/** In the order a version goes through them. */
export const CHANNELS = ['dev', 'staging', 'stable'] as const;
export type Channel = (typeof CHANNELS)[number];

/**
 * Since when a version is in a channel. The mark stays when another version takes the channel over, and the latest one counts: so a
 * promotion is one change of one version, with nothing in between to be cut off, and what was in a channel once can be seen.
 */
export function channelTag(channel: Channel): string {
  return `headstart-channel-${channel}`;
}

/** The one that a channel means. Two marks of the same moment: the newer version. */
export function holderOf<V extends Marked>(versions: readonly V[], channel: Channel): V | undefined {
  return versions
    .filter((version) => sinceMs(version, channel) !== undefined)
    .toSorted((a, b) => sinceMs(b, channel)! - sinceMs(a, channel)! || newer(b, a))[0];
}

export type Marked = Pick<Version, 'name' | 'tags'>;

export interface Promotion {
  /** All of them at once; empty: it may be done. */
  problems: string[];
  /** What will be different, in words. */
  changes: string[];
  tags: Readonly<Record<string, string>>;
  /** From now on it is among those that `latest` means. */
  isIncluded: boolean;
}

export interface PromotionTerms {
  channel: Channel;
  nowMs: number;
  /** Content that a test of now has shown to be good. */
  testedContent?: string | undefined;
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
  const isProven = content !== undefined && terms.testedContent === content;
  const isTested = isProven || isTestedVersion(version);
  const holder = holderOf(versions, channel);
  const isHolder = holder?.name === version.name;
  const isIncluded = version.isExcludedFromLatest && isTested;
  const problems = [
    ...(content === undefined ? [`${version.name} is no version that \`headstart image publish\` made`] : []),
    ...(version.state === 'ready' ? [] : [`${version.name} is ${version.state}, not ready`]),
    ...(terms.testedContent !== undefined && !isProven
      ? [`the test is one of other content: ${terms.testedContent.slice(0, 12)}, not ${content?.slice(0, 12)}`]
      : []),
    ...(isTested || terms.isUntestedAllowed
      ? []
      : [`no test of ${version.name} has passed (--build FOLDER with its test, or --untested)`]),
    ...orderProblems(version, terms),
    ...(holder && newer(holder, version) > 0 && !terms.isDowngradeAllowed
      ? [`${channel} is at ${holder.name}, and ${version.name} is older (--allow-downgrade)`]
      : []),
  ];
  const changes = [
    ...(isHolder ? [] : [moveOf(version, channel, holder)]),
    ...(isProven && !isTestedVersion(version) ? [`mark ${version.name} as tested`] : []),
    ...(isIncluded ? [`offer ${version.name} as the latest`] : []),
  ];
  const tags = {
    ...(!isHolder && { [channelTag(channel)]: stamp(terms.nowMs, holder, channel) }),
    ...(isProven && content !== undefined && { [IMAGE_TAGS.tested]: content }),
  };
  return { problems, changes, tags, isIncluded };
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

function moveOf({ name }: Candidate, channel: Channel, holder: Candidate | undefined): string {
  if (!holder) return `put ${name} into ${channel}`;
  const isBack = newer(holder, { name }) > 0;
  return `${isBack ? 'take' : 'move'} ${channel} ${isBack ? 'back ' : ''}from ${holder.name} to ${name}`;
}

/** Later than the mark it has to win over, whatever the clock of the machine that set that one. */
function stamp(nowMs: number, holder: Candidate | undefined, channel: Channel): string {
  const lastMs = holder ? sinceMs(holder, channel)! : 0;
  return new Date(Math.max(nowMs, lastMs + 1)).toISOString();
}

/** Undefined as well for what is no time: somebody else's mark is none. */
export function sinceMs({ tags }: Pick<Version, 'tags'>, channel: Channel): number | undefined {
  const ms = Date.parse(tags[channelTag(channel)] ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

function newer(a: Pick<Version, 'name'>, b: Pick<Version, 'name'>): number {
  return compareVersions('binary', a.name, b.name);
}
