// prototype/donor/patched.ts: is this node up to date, as far as the cluster can tell?
import type { Node } from '../../cluster/cluster.ts';

/** Set by reboot daemons while a reboot is due or under way; the value is a time or "true". */
const REBOOT_MARKS = [
  'weave.works/kured-reboot-in-progress',
  'kured.dev/reboot-in-progress',
  'weave.works/kured-most-recent-reboot-needed',
  'kured.dev/most-recent-reboot-needed',
  'node.kubernetes.io/reboot-required',
  'reboot-required',
];
/** "Most recent" marks stay after the reboot, so they count only if they are newer than the node's last start. */
const IS_HISTORY = /most-recent/;

/** Why the node does not count as patched; empty: no reason found. */
export function unpatchedReasons(node: Node, pool: readonly Node[]): string[] {
  const reasons: string[] = [];
  for (const key of REBOOT_MARKS) {
    const value = node.annotations[key];
    if (value === undefined || value === 'false') continue;
    if (IS_HISTORY.test(key) && isBefore(value, node.readySinceMs)) continue;
    reasons.push(`a reboot is pending (${key})`);
  }
  const kernel = newest(pool.map((other) => other.kernelVersion));
  if (kernel !== undefined && compareReleases(node.kernelVersion, kernel) < 0) {
    reasons.push(`kernel ${node.kernelVersion} is older than ${kernel} in the same pool`);
  }
  const image = newest(
    pool.filter((other) => familyOf(other.osImage) === familyOf(node.osImage)).map((other) => other.osImage),
  );
  if (image !== undefined && compareReleases(node.osImage, image) < 0) {
    reasons.push(`${node.osImage} is older than ${image} in the same pool`);
  }
  return reasons;
}

function isBefore(text: string, sinceMs: number | undefined): boolean {
  const ms = Date.parse(text);
  return sinceMs !== undefined && Number.isFinite(ms) && ms <= sinceMs;
}

function newest(releases: readonly string[]): string | undefined {
  return releases.toSorted(compareReleases).at(-1);
}

function familyOf(osImage: string): string {
  return osImage.replace(/[\d.]+.*$/, '').trim();
}

/** Digit groups as numbers, in order: `6.1.0-54` comes after `6.1.0-9`. */
export function compareReleases(a: string, b: string): number {
  const left = a.match(/\d+/g)?.map(Number) ?? [];
  const right = b.match(/\d+/g)?.map(Number) ?? [];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
