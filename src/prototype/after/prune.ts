// prototype/after/prune.ts: which versions can be deleted? The oldest beyond the history that no model or instance uses.
import type { Version } from '../../vms/gallery.ts';
import { badReason } from '../bad-version.ts';
import { compareVersionNames } from '../names.ts';
import type { RunWorld } from '../run/scene.ts';

/** Empty if the references were not read: a version of unknown use counts as in use. */
export function prunableVersions(world: Pick<RunWorld, 'versions' | 'references'>, history: number): Version[] {
  const { references } = world;
  if (!references) return [];
  const newestFirst = world.versions
    .filter((version) => version.state !== 'deleting')
    .toSorted((a, b) => compareVersionNames(b.name, a.name));
  // Bad versions do not count towards the history: nothing rolls back to them.
  const ready = newestFirst.filter((version) => version.state === 'ready' && badReason(version) === undefined);
  const kept = new Set(ready.slice(0, Math.max(1, history)).map((version) => version.id));
  return newestFirst.filter(
    (version) =>
      !kept.has(version.id) &&
      !isNewestAndBad(version, newestFirst) &&
      !isReferredTo(version, references) &&
      (version.state === 'ready' || version.state === 'failed'),
  );
}

/** Its mark is all that keeps a run of the same day from making it again, so it stays until there is a newer version. */
function isNewestAndBad(version: Version, newestFirst: readonly Version[]): boolean {
  return version === newestFirst[0] && badReason(version) !== undefined;
}

/** Cloud ids are case-insensitive, and two APIs rarely agree on the case. */
function isReferredTo(version: Version, references: ReadonlySet<string>): boolean {
  return references.has(version.id) || references.has(version.id.toLowerCase());
}
