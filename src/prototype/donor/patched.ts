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
  const family = pool.filter((other) => familyOf(other) === familyOf(node));
  const kernel = newest(family.map((other) => other.kernelVersion));
  if (kernel !== undefined && compareReleases(node.kernelVersion, kernel) < 0) {
    reasons.push(`kernel ${node.kernelVersion} is older than ${kernel} in the same pool`);
  }
  const image = newest(family.map((other) => other.osImage));
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

/**
 * Distribution and release: `Ubuntu 22.04.5 LTS` and `Ubuntu 24.04.1 LTS` get their patches apart from each other. Ubuntu names
 * a release by year and month, others by their first number, and rolling distributions (`Flatcar … 3815.2.0`) have none.
 */
function familyOf({ osImage }: Node): string {
  const [, name = '', first = '', second = ''] = /^(\D*)(\d*)(?:\.(\d+))?/.exec(osImage) ?? [];
  const release = /^ubuntu/i.test(name) ? `${first}.${second}` : first.length < 4 ? first : '';
  return `${name.trim()} ${release}`.toLowerCase();
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
