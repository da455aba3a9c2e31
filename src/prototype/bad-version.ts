// prototype/bad-version.ts: which versions must not be offered to new instances? A rollback marks the version that it leaves. Pure.
import type { Version } from '../vms/gallery.ts';
import type { TagChange } from '../vms/pools.ts';
import { BAD_TAG } from './names.ts';

/** Why the version is bad; undefined: it is not marked. A mark without a reason is still a mark. */
export function badReason({ tags }: Pick<Version, 'tags'>): string | undefined {
  const [name] = badTags(tags);
  return name === undefined ? undefined : tags[name]!.trim() || 'no reason was recorded';
}

export function badMark(nowMs: number): TagChange {
  return { [BAD_TAG]: `rollback ordered ${new Date(nowMs).toISOString().slice(0, 10)}` };
}

export function clearedMark({ tags }: Pick<Version, 'tags'>): TagChange {
  return Object.fromEntries([BAD_TAG, ...badTags(tags)].map((name) => [name, null]));
}

/** The cloud compares tag names without case and keeps the case in which they were written. */
function badTags(tags: Version['tags']): string[] {
  return Object.keys(tags).filter((name) => name.toLowerCase() === BAD_TAG);
}
