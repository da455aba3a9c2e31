// prototype/after/rollback.ts: which single update returns a pool to an earlier version or to its original model? Pure.
import { UserError } from '../../base/errors.ts';
import { didYouMean, nearestNames } from '../../base/nearest-names.ts';
import type { Definition, Version } from '../../vms/gallery.ts';
import type { Pool } from '../../vms/pools.ts';
import type { ModelChange, SavedModel } from '../../vms/publisher.ts';
import { badReason } from '../bad-version.ts';
import { BOOTSTRAP_TAG, compareVersionNames, MODEL_TAG, ROLLBACK_TAG } from '../names.ts';
import { leavingExtensions, withoutCommand } from '../protected-settings.ts';
import { isPrototypeImage } from '../prototype-image.ts';
import { bootstrapExtensions } from '../run/extensions.ts';
import { readSavedExtension } from '../saved-extension.ts';

/** Where a pool can be rolled back to, and the verb that runs, for the next step of an error. */
export interface RollbackTargets {
  verb: 'rollback' | 'uninstall';
  versions: readonly Version[];
  /** Whether the model as a person last set it is saved. */
  hasOriginal: boolean;
  /** The pool's image definition, if it has one. */
  definition?: Definition | undefined;
  /** The operator says that the wanted version is good after all. */
  mayBeBad?: boolean;
}

/**
 * To the wanted version, by default the good one before the current version. Refuses a version that does not exist, is not ready or is
 * marked bad, and without a wanted version a pool that does not start from a prototype: it would go forward, not back.
 */
export function rollbackToVersion(pool: Pool, targets: RollbackTargets, wanted: string | undefined): ModelChange {
  const { versions } = targets;
  if (wanted === undefined && !startsFromPrototype(pool, targets)) throw notOnPrototype(pool, targets);
  const target =
    wanted === undefined ? previousOf(pool, versions) : versions.find((version) => version.name === wanted);
  if (!target) throw noSuchVersion(pool, targets, wanted);
  const because = badReason(target);
  if (because !== undefined && !targets.mayBeBad) throw badVersion(pool, targets, target.name, because);
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
    tags: {
      [BOOTSTRAP_TAG]: 'none',
      [MODEL_TAG]: target.name,
      [ROLLBACK_TAG]: (wanted === undefined && currentNameOf(pool, versions)) || null,
    },
  };
}

/**
 * The version that an unfinished rollback without a wanted version has left, if the model is still as that rollback set it. The tag came
 * with the model in one update, so it proves the effect; choosing again would go back one version too far.
 */
export function leftByUnfinished(pool: Pool, versions: readonly Version[]): string | undefined {
  const target = pool.tags[MODEL_TAG];
  const isAsItWasSet = target !== undefined && currentOf(pool, versions)?.name === target;
  return isAsItWasSet ? pool.tags[ROLLBACK_TAG] : undefined;
}

/** Image, bootstrap and extensions as a person last set them, in one update. */
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
  const extensions = extensionsOfOriginal(pool, saved);
  requireCommands(pool, extensions);
  return {
    image: saved.image,
    bootstrap: customData === '' ? 'none' : { customData }, // empty: the pool never had any
    extensions,
    tags: { [BOOTSTRAP_TAG]: null, [MODEL_TAG]: null, [ROLLBACK_TAG]: null },
  };
}

/** Extensions that left come back. Those that stayed keep their current settings, and wait again for the ones that come back. */
function extensionsOfOriginal(pool: Pool, saved: SavedModel): ModelChange['extensions'] {
  const present = new Map(pool.model.extensions.map((extension) => [extension.name, extension]));
  const add = saved.extensions.filter((extension) => !present.has(readSavedExtension(extension).name));
  const returning = new Set(add.map((extension) => readSavedExtension(extension).name));
  const after = saved.extensions.map(readSavedExtension).flatMap(({ name, after: before }) => {
    const kept = present.get(name);
    const cut = before.filter((one) => returning.has(one) && !kept?.after.includes(one));
    return kept && cut.length > 0 ? [[name, [...kept.after, ...cut]] as const] : [];
  });
  const known = Object.entries(saved.protectedSettings ?? {}).filter(([name]) => returning.has(name));
  return {
    keep: [...present.keys()],
    add,
    ...(after.length > 0 && { after: Object.fromEntries(after) }),
    ...(known.length > 0 && { protectedSettings: Object.fromEntries(known) }),
  };
}

/** A script extension without its command fails on every new instance. */
function requireCommands(pool: Pool, { add, protectedSettings = {} }: ModelChange['extensions']): void {
  const missing = withoutCommand(leavingExtensions({ extensions: add }), protectedSettings);
  if (missing.length === 0) return;
  throw new UserError(
    `the saved model of ${pool.ref.name} lacks the protected settings of ${missing.join(', ')}, which hold the command: new instances would fail`,
    {
      code: 'prototype/no-way-back',
      kept: `${pool.ref.name} was not changed.`,
      next: `give them with --protected-settings FILE, a JSON object: {${JSON.stringify(missing[0])}: {"commandToExecute": "…"}}`,
      exitCode: 1,
    },
  );
}

/**
 * The version that this change rolls back, and that must not be offered again. A change to a newer version leaves a version that is
 * not bad.
 */
export function versionLeft(pool: Pool, versions: readonly Version[], change: ModelChange): Version | undefined {
  const current = currentOf(pool, versions);
  const { image } = change;
  const target = image.kind === 'version' && versions.find(({ id }) => id.toLowerCase() === image.id.toLowerCase());
  if (!current || !target) return current;
  return compareVersionNames(target.name, current.name) < 0 ? current : undefined;
}

/** Refuses a pool without any trace of a run: the saved model may be older than the one that its owner has set since. */
export function requireRolledOut(pool: Pool, targets: RollbackTargets): void {
  // The tag alone proves nothing: it stays when a person sets another image.
  if (startsFromPrototype(pool, targets)) return;
  throw targets.hasOriginal ? notOnPrototype(pool, targets) : originalNotSaved(pool, targets);
}

function startsFromPrototype(pool: Pool, { versions, definition }: RollbackTargets): boolean {
  return currentOf(pool, versions) !== undefined || isPrototypeImage(pool.model.image, definition);
}

function previousOf(pool: Pool, versions: readonly Version[]): Version | undefined {
  const current = currentNameOf(pool, versions);
  const older = versions
    .filter((version) => isOfferable(version) && (!current || compareVersionNames(version.name, current) < 0))
    .toSorted((a, b) => compareVersionNames(b.name, a.name));
  return older[0];
}

function isOfferable(version: Version): boolean {
  return version.state === 'ready' && badReason(version) === undefined;
}

function currentOf({ model: { image } }: Pool, versions: readonly Version[]): Version | undefined {
  if (image.kind === 'version') return versions.find(({ id }) => id.toLowerCase() === image.id.toLowerCase());
  if (image.kind !== 'definition') return undefined;
  // The pool follows the newest version of its definition.
  return versions
    .filter(({ id }) => id.toLowerCase().startsWith(`${image.id.toLowerCase()}/`))
    .filter(({ state, isExcludedFromLatest }) => state === 'ready' && !isExcludedFromLatest)
    .toSorted((a, b) => compareVersionNames(b.name, a.name))[0];
}

/** Also of a version that was deleted while the model still refers to it. */
function currentNameOf(pool: Pool, versions: readonly Version[]): string | undefined {
  const { image } = pool.model;
  const name = currentOf(pool, versions)?.name ?? (image.kind === 'version' ? image.id.split('/').at(-1) : undefined);
  return name !== undefined && /^\d+\.\d+\.\d+$/.test(name) ? name : undefined;
}

function notOnPrototype(pool: Pool, targets: RollbackTargets): UserError {
  const { name } = pool.ref;
  const { versions, hasOriginal } = targets;
  const isUntouched = versions.length === 0 && !hasOriginal && pool.tags[MODEL_TAG] === undefined;
  const why = isUntouched ? `no run has changed ${name}` : `${name} does not start from a prototype`;
  const command = `headstart prototype rollback --pool ${name} --to`;
  const newest = versions.filter(isOfferable).toSorted((a, b) => compareVersionNames(b.name, a.name))[0];
  return new UserError(`there is nothing to roll back: ${why}`, {
    code: 'prototype/not-on-prototype',
    kept: `${name} was not changed.`,
    next:
      hasOriginal && pool.tags[MODEL_TAG] !== undefined
        ? `${command} original`
        : newest === undefined
          ? `\`headstart prototype status --pool ${name}\` shows what it starts from`
          : `\`${command} ${newest.name}\` points it at that version`,
    exitCode: 1,
  });
}

function badVersion(pool: Pool, targets: RollbackTargets, name: string, because: string): UserError {
  const clear = `\`headstart prototype rollback --pool ${pool.ref.name} --to ${name} --clear-bad\``;
  return new UserError(`version ${name} is marked bad: ${because}`, {
    code: 'prototype/bad-version',
    kept: `${pool.ref.name} was not changed.`,
    next: `${nextCommand(pool, targets, name)}; if ${name} is good after all: ${clear}`,
    exitCode: 1,
  });
}

function noSuchVersion(pool: Pool, targets: RollbackTargets, wanted: string | undefined): UserError {
  const { versions } = targets;
  const name = pool.ref.name;
  const known = versions.map((version) => `${version.name} (${describeState(version)})`).join(', ') || 'none';
  const message =
    wanted !== undefined
      ? `there is no version ${wanted} of ${name}; known: ${known}${didYouMean(
          wanted,
          versions.map((version) => version.name),
        )}`
      : `there is no good version of ${name} before its current one; known: ${known}`;
  return new UserError(message, {
    code: 'prototype/no-such-version',
    kept: `${name} was not changed.`,
    next: nextCommand(pool, targets, wanted),
    exitCode: 1,
  });
}

function describeState(version: Version): string {
  const because = badReason(version);
  return because === undefined ? version.state : `bad: ${because}`;
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
    .filter((version) => isOfferable(version) && version !== current && version.name !== wanted)
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
