// prototype/rollback.ts: which single update brings a pool back to an earlier version, or to the recipe it had before the first run?
import { UserError } from '../base/errors.ts';
import type { ModelChange, Pool, Recipe, Version } from '../vms/factory.ts';
import { bootstrapExtensions } from './extensions.ts';
import { BOOTSTRAP_TAG, compareVersions, MODEL_TAG } from './names.ts';

/** The version before the one in use, or the one asked for; refuses what is not there or not whole. */
export function rollbackToVersion(pool: Pool, versions: readonly Version[], wanted: string | undefined): ModelChange {
  const { image } = pool.model;
  const current =
    image.kind === 'version' ? versions.find((v) => v.id.toLowerCase() === image.id.toLowerCase()) : undefined;
  const target = wanted === undefined ? previousOf(current, versions) : versions.find((v) => v.name === wanted);
  if (!target) throw noSuchVersion(pool, versions, wanted);
  if (target.state !== 'ready') {
    throw new UserError(`version ${target.name} is ${target.state}: new instances could not be made from it`, {
      code: 'prototype/version-not-ready',
      kept: `${pool.ref.name} was not changed.`,
      next: 'choose a version that is ready: `headstart prototype status`',
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
export function rollbackToOriginal(pool: Pool, recipe: Recipe): ModelChange {
  // A specialized pool has no place for custom data, and never had any.
  const customData = pool.model.osState === 'specialized' ? '' : recipe.customData;
  if (customData === undefined) {
    throw new UserError(`the saved recipe of ${pool.ref.name} has no custom data: its nodes could not bootstrap`, {
      code: 'prototype/no-way-back',
      kept: `${pool.ref.name} was not changed.`,
      next: 'give it with --custom-data FILE',
      exitCode: 1,
    });
  }
  const present = new Set(pool.model.extensions.map((extension) => extension.name));
  return {
    image: recipe.image,
    bootstrap: customData === '' ? 'none' : { customData }, // empty: it never had any
    extensions: {
      keep: [...present],
      add: recipe.extensions.filter((extension) => !present.has((extension as { name?: string }).name ?? '')),
    },
    tags: { [BOOTSTRAP_TAG]: null, [MODEL_TAG]: null },
  };
}

function previousOf(current: Version | undefined, versions: readonly Version[]): Version | undefined {
  const older = versions
    .filter((version) => version.state === 'ready' && (!current || compareVersions(version.name, current.name) < 0))
    .toSorted((a, b) => compareVersions(b.name, a.name));
  return older[0];
}

function noSuchVersion(pool: Pool, versions: readonly Version[], wanted: string | undefined): UserError {
  const known = versions.map((version) => `${version.name} (${version.state})`).join(', ') || 'none';
  const what = wanted === undefined ? 'there is no earlier version' : `there is no version ${wanted}`;
  return new UserError(`${what} of ${pool.ref.name}; known: ${known}`, {
    code: 'prototype/no-such-version',
    kept: `${pool.ref.name} was not changed.`,
    next: `headstart prototype rollback --pool ${pool.ref.name} --to original`,
    exitCode: 1,
  });
}
