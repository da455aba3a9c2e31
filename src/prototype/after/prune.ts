// prototype/after/prune.ts: which versions can be deleted? The oldest beyond the history that no model or instance uses.
import type { Version } from '../../vms/gallery.ts';
import { compareVersionNames } from '../names.ts';
import type { RunWorld } from '../run/scene.ts';

/** Empty if the references were not read: a version of unknown use counts as in use. */
export function prunableVersions(world: Pick<RunWorld, 'versions' | 'references'>, history: number): Version[] {
  const { references } = world;
  if (!references) return [];
  const newestFirst = world.versions
    .filter((version) => version.state !== 'deleting')
    .toSorted((a, b) => compareVersionNames(b.name, a.name));
  const ready = newestFirst.filter((version) => version.state === 'ready');
  const kept = new Set(ready.slice(0, Math.max(1, history)).map((version) => version.id));
  return newestFirst.filter(
    (version) =>
      !kept.has(version.id) &&
      !isReferredTo(version, references) &&
      (version.state === 'ready' || version.state === 'failed'),
  );
}

/** Cloud ids are case-insensitive, and two APIs rarely agree on the case. */
function isReferredTo(version: Version, references: ReadonlySet<string>): boolean {
  return references.has(version.id) || references.has(version.id.toLowerCase());
}
