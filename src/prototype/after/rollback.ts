// prototype/after/rollback.ts: which single update returns a pool to an earlier version or to its model before the first run?
import { UserError } from '../../base/errors.ts';
import { didYouMean, nearestNames } from '../../base/nearest-names.ts';
import type { Version } from '../../vms/gallery.ts';
import type { Pool } from '../../vms/pools.ts';
import type { ModelChange, SavedModel } from '../../vms/publisher.ts';
import { BOOTSTRAP_TAG, compareVersionNames, MODEL_TAG } from '../names.ts';
import { bootstrapExtensions } from '../run/extensions.ts';

/** Where a pool can be rolled back to, and the verb that runs, for the next step of an error. */
export interface RollbackTargets {
  verb: 'rollback' | 'uninstall';
  versions: readonly Version[];
  /** Whether the model from before the first run is saved. */
  hasOriginal: boolean;
}

/** To the wanted version, by default the one before the current version. Refuses a version that does not exist or is not ready. */
export function rollbackToVersion(pool: Pool, targets: RollbackTargets, wanted: string | undefined): ModelChange {
  const { versions } = targets;
  const target =
    wanted === undefined
      ? previousOf(currentOf(pool, versions), versions)
      : versions.find((version) => version.name === wanted);
  if (!target) throw noSuchVersion(pool, targets, wanted);
  if (target.state !== 'ready') {
    throw new UserError(`version ${target.name} is ${target.state}: new instances cannot be created from it`, {
      code: 'prototype/version-not-ready',
      kept: `${pool.ref.name} was not changed.`,
      next:
        target.state === 'creating' || target.state === 'replicating'
          ? `wait until \`headstart prototype status --pool ${pool.ref.name}\` shows it as ready, then run the same command again`
          : nextCommand(pool, targets, wanted),
      exitCode: 1,
    });
  }
  const leaving = new Set(bootstrapExtensions(pool.model.extensions).map((extension) => extension.name));
  return {
    image: { kind: 'version', id: target.id },
    bootstrap: 'none',
    extensions: { keep: pool.model.extensions.map((e) => e.name).filter((name) => !leaving.has(name)), add: [] },
    tags: { [BOOTSTRAP_TAG]: 'none', [MODEL_TAG]: target.name },
  };
}

/** Image, bootstrap and extensions as they were before the first run, in one update. */
export function rollbackToOriginal(pool: Pool, saved: SavedModel): ModelChange {
  // A specialized pool cannot have custom data.
  const customData = pool.model.osState === 'specialized' ? '' : saved.customData;
  if (customData === undefined) {
    throw new UserError(`the saved model of ${pool.ref.name} has no custom data: new nodes could not bootstrap`, {
      code: 'prototype/no-way-back',
      kept: `${pool.ref.name} was not changed.`,
      next: 'give it with --custom-data FILE',
      exitCode: 1,
    });
  }
  const present = new Set(pool.model.extensions.map((extension) => extension.name));
  return {
    image: saved.image,
    bootstrap: customData === '' ? 'none' : { customData }, // empty: the pool never had any
    extensions: {
      keep: [...present],
      add: saved.extensions.filter((extension) => !present.has((extension as { name?: string }).name ?? '')),
    },
    tags: { [BOOTSTRAP_TAG]: null, [MODEL_TAG]: null },
  };
}

function previousOf(current: Version | undefined, versions: readonly Version[]): Version | undefined {
  const older = versions
    .filter((version) => version.state === 'ready' && (!current || compareVersionNames(version.name, current.name) < 0))
    .toSorted((a, b) => compareVersionNames(b.name, a.name));
  return older[0];
}

function currentOf({ model: { image } }: Pool, versions: readonly Version[]): Version | undefined {
  if (image.kind !== 'version') return undefined;
  return versions.find(({ id }) => id.toLowerCase() === image.id.toLowerCase());
}

function noSuchVersion(pool: Pool, targets: RollbackTargets, wanted: string | undefined): UserError {
  const { versions, hasOriginal } = targets;
  const name = pool.ref.name;
  const known = versions.map((version) => `${version.name} (${version.state})`).join(', ') || 'none';
  const isUntouched = versions.length === 0 && !hasOriginal && pool.tags[MODEL_TAG] === undefined;
  const message =
    wanted !== undefined
      ? `there is no version ${wanted} of ${name}; known: ${known}${didYouMean(
          wanted,
          versions.map((version) => version.name),
        )}`
      : isUntouched
        ? `there is nothing to roll back: no run has changed ${name}`
        : `there is no earlier version of ${name}; known: ${known}`;
  return new UserError(message, {
    code: 'prototype/no-such-version',
    kept: `${name} was not changed.`,
    next: nextCommand(pool, targets, wanted),
    exitCode: 1,
  });
}

export function originalNotSaved(pool: Pool, targets: RollbackTargets): UserError {
  return new UserError(`no original model of ${pool.ref.name} is saved`, {
    code: 'prototype/no-recipe',
    kept: `${pool.ref.name} was not changed.`,
    next: nextCommand(pool, { ...targets, hasOriginal: false }, 'original'),
    exitCode: 1,
  });
}

/** A command that works in the pool's current state, so that it does not lead to the next error. */
function nextCommand(pool: Pool, { verb, versions, hasOriginal }: RollbackTargets, wanted: string | undefined): string {
  const name = pool.ref.name;
  const command = (to: string) => `headstart prototype ${verb} --pool ${name} --to ${to}`;
  const current = currentOf(pool, versions);
  const ready = versions
    .filter((version) => version.state === 'ready' && version !== current && version.name !== wanted)
    .map((version) => version.name)
    .toSorted((a, b) => compareVersionNames(b, a));
  const [meant = ready[0]] = wanted === undefined ? [] : nearestNames(wanted, ready);
  if (wanted === undefined && hasOriginal) return command('original');
  if (meant !== undefined) return command(meant);
  if (hasOriginal) return command('original');
  if (verb === 'uninstall') return `\`${command('keep')}\` leaves ${name} on its current image`;
  if (pool.tags[MODEL_TAG] === undefined)
    return `\`headstart prototype status --pool ${name}\` shows what it starts from`;
  return `point ${name} at an image of your choice with the cloud's own tools: there is no other version and no saved original model`;
}
