// prototype/after/run-rollback.ts: returns a pool to an earlier version or to its original model, in one conditional update.
import { TransientError, UserError } from '../../base/errors.ts';
import { Forbidden, NotFound } from '../../base/failures.ts';
import type { Definition, Version } from '../../vms/gallery.ts';
import type { ImageRef, Pool, PoolRef } from '../../vms/pools.ts';
import type { ModelChange, ProtectedSettings } from '../../vms/publisher.ts';
import { badMark, badReason, clearedMark } from '../bad-version.ts';
import { ROLLBACK_TAG } from '../names.ts';
import { fencedProvider } from '../run/fence.ts';
import { withPoolHold } from '../run/hold-pool.ts';
import { type RetryDeps, withRetries } from '../run/with-retries.ts';
import { parseSavedModel } from '../saved-model.ts';
import { readSavedModelSecret } from '../saved-model-secret.ts';
import type { Site } from '../site.ts';
import { readVersions } from './read-versions.ts';
import {
  leftByUnfinished,
  originalNotSaved,
  type RollbackTargets,
  requireRolledOut,
  rollbackToOriginal,
  rollbackToVersion,
  versionLeft,
} from './rollback.ts';

export interface RollbackRequest {
  /** A version, or `original`; undefined: the good version before the current one. */
  to?: string | undefined;
  /** The operator says that the version `to` is good after all. */
  clearsBad?: boolean;
  /** The original bootstrap in base64, if no run saved it; called only if it is needed. */
  readBootstrap?: () => string;
  /** Protected settings of the original extensions, likewise. */
  readProtectedSettings?: () => ProtectedSettings;
}

export interface Rollback {
  pool: Pool;
  change: ModelChange;
  definition: Definition | undefined;
  /** The version that the pool leaves: it is marked bad. */
  left?: Version;
  /** The version whose mark is removed. */
  cleared?: Version;
  /** An earlier process made the change and died before it could say so. */
  isFinished?: true;
}

/**
 * Holds the pool, because a run would switch the model again. After a conflict it reads the pool and chooses again.
 *
 * The version is marked before the model changes: whatever fails in between, no pool is rolled back from a version that the next run
 * would offer again. If the model then does not change, the mark stays, because the operator's judgement does not depend on whether the
 * cloud accepts the change: the pool still starts from a version that is marked bad, `status` shows that, and the same command continues.
 */
export async function rollBackPool(
  site: Site,
  { pool, holder, ...request }: RollbackRequest & { pool: PoolRef; holder: string },
  deps: RetryDeps,
): Promise<Rollback> {
  const progress: Progress = {};
  return withPoolHold({ pool, holder, note: 'rollback' }, { ...deps, cluster: site.cluster }, (hold) => {
    const held: Site = { ...site, provider: fencedProvider(site.provider, hold) };
    const work = async () => {
      await hold.renew(); // a pause between attempts may be longer than a hold lasts
      return attempt(held, pool, request, progress, deps);
    };
    return withRetries('rollback', work, deps).catch((error: unknown) => {
      throw progress.marked ? incomplete(pool, progress.marked, error) : error;
    });
  });
}

/** What earlier attempts of this rollback did. */
interface Progress {
  ordered?: Rollback;
  marked?: Version;
}

async function attempt(
  site: Site,
  ref: PoolRef,
  request: RollbackRequest,
  progress: Progress,
  { clock, signal }: RetryDeps,
): Promise<Rollback> {
  const { ordered } = progress;
  // A change may be reported as failed and still take effect. Choosing again would go back one version too far.
  if (ordered && (await hasLanded(site, ordered, signal))) return finish(site, ordered, signal);
  const rollback = await chooseRollback(site, ref, request, signal);
  if (rollback.isFinished) return finish(site, rollback, signal);
  const { left, cleared } = rollback;
  if (left) {
    await markBad(site, rollback, left, clock.nowMs(), signal);
    progress.marked = left;
  }
  if (cleared) await setMark(site, rollback, cleared, clearedMark(cleared), signal);
  progress.ordered = rollback;
  await site.provider.publisher.changeModel(rollback.pool, rollback.change, { signal });
  if (changesImage(rollback) && !(await hasLanded(site, rollback, signal)))
    throw notApplied(`the model of ${ref.name}`);
  return finish(site, rollback, signal);
}

async function hasLanded(site: Site, rollback: Rollback, signal: AbortSignal): Promise<boolean> {
  if (!changesImage(rollback)) return false;
  const now = await site.provider.pools.readPool(rollback.pool.ref, { signal });
  return now !== undefined && isSameImage(now.model.image, rollback.change.image);
}

/** Only such a change can be seen to have landed; any other is safe to repeat. */
function changesImage({ pool, change }: Rollback): boolean {
  return !isSameImage(pool.model.image, change.image);
}

function isSameImage(a: ImageRef, b: ImageRef): boolean {
  const text = (image: ImageRef) => JSON.stringify(Object.entries(image).toSorted()).toLowerCase();
  return text(a) === text(b);
}

async function finish(site: Site, rollback: Rollback, signal: AbortSignal): Promise<Rollback> {
  const { cleared, definition, pool, isFinished } = rollback;
  if (cleared) await site.provider.gallery.setExcludedFromLatest(definition!, cleared.name, false, { signal });
  const isMarked = isFinished || typeof rollback.change.tags?.[ROLLBACK_TAG] === 'string';
  if (isMarked) await site.provider.pools.tagPool(pool.ref, { [ROLLBACK_TAG]: null }, { signal });
  return rollback;
}

/** An earlier reason is kept. */
async function markBad(
  site: Site,
  rollback: Rollback,
  left: Version,
  nowMs: number,
  signal: AbortSignal,
): Promise<void> {
  try {
    if (badReason(left) === undefined) await setMark(site, rollback, left, badMark(nowMs), signal);
    const { gallery } = site.provider;
    await gallery.setExcludedFromLatest(rollback.definition!, left.name, true, { signal });
    const seen = await gallery.readVersion(rollback.definition!, left.name, { signal });
    if (seen && !seen.isExcludedFromLatest) throw notApplied(`version ${left.name}`);
  } catch (error) {
    if (!(error instanceof NotFound)) throw error; // deleted meanwhile: it cannot be offered
  }
}

async function setMark(
  { provider: { gallery } }: Site,
  { definition }: Rollback,
  { name }: Version,
  mark: ReturnType<typeof badMark>,
  signal: AbortSignal,
): Promise<void> {
  await gallery.tagVersion(definition!, name, mark, { signal });
  const seen = await gallery.readVersion(definition!, name, { signal });
  const isWanted = Object.values(mark).some((value) => value !== null);
  if (seen && (badReason(seen) !== undefined) !== isWanted) throw notApplied(`the mark of version ${name}`);
}

function notApplied(what: string): TransientError {
  return new TransientError(`${what} was changed, but reads as before`, { code: 'prototype/not-applied' });
}

function incomplete(pool: PoolRef, marked: Version, error: unknown): UserError {
  const cause = error as UserError;
  return new UserError(`${pool.name} could not be rolled back: ${cause.message}`, {
    code: cause.code ?? 'prototype/rollback-incomplete',
    kept: `Version ${marked.name} is marked bad (\`--to ${marked.name} --clear-bad\` removes the mark); ${pool.name} may still start from it.`,
    // The pool changed meanwhile and the rollback is refused now: the same command would be refused again.
    next: (error instanceof UserError && error.next) || 'run the same command again',
    exitCode: 4,
    cause: error,
  });
}

/** Reads only. */
export async function chooseRollback(
  site: Site,
  ref: PoolRef,
  request: RollbackRequest,
  signal: AbortSignal,
): Promise<Rollback> {
  const { to, clearsBad } = request;
  if (clearsBad && (to === undefined || to === 'original')) throw nothingToClear(ref);
  const pool = await site.provider.pools.readPool(ref, { signal });
  if (!pool) throw new NotFound(`pool ${ref.name}`);
  const { definition, versions } = await readVersions(site, ref, signal);
  const saved = await readSavedValues(site, ref, to, signal);
  const targets: RollbackTargets = {
    verb: 'rollback',
    versions,
    definition,
    hasOriginal: saved !== undefined,
    ...(clearsBad && { mayBeBad: true }),
  };
  const unfinished = to === undefined ? leftByUnfinished(pool, versions) : undefined;
  if (unfinished !== undefined) return finishedBefore(pool, definition, versions, unfinished);
  const change = changeTo(pool, targets, request, saved);
  const left = versionLeft(pool, versions, change);
  const target = versions.find(({ name }) => name === to);
  const cleared = clearsBad && target && badReason(target) !== undefined ? target : undefined;
  return { pool, change, definition, ...(left && { left }), ...(cleared && { cleared }) };
}

/** No change is left to order: the model is as the earlier process set it. */
function finishedBefore(
  pool: Pool,
  definition: Definition | undefined,
  versions: readonly Version[],
  leftName: string,
): Rollback {
  const left = versions.find(({ name }) => name === leftName);
  const { image, extensions } = pool.model;
  const change: ModelChange = {
    image,
    bootstrap: 'none',
    extensions: { keep: extensions.map(({ name }) => name), add: [] },
    tags: {},
  };
  return { pool, change, definition, ...(left && { left }), isFinished: true };
}

function changeTo(
  pool: Pool,
  targets: RollbackTargets,
  { to, readBootstrap, readProtectedSettings }: RollbackRequest,
  saved: Readonly<Record<string, string>> | undefined,
): ModelChange {
  if (to !== 'original') return rollbackToVersion(pool, targets, to);
  requireRolledOut(pool, targets);
  if (saved === undefined) throw originalNotSaved(pool, targets);
  const model = parseSavedModel(saved, pool.ref);
  const [customData, given] = [readBootstrap?.(), readProtectedSettings?.()];
  return rollbackToOriginal(pool, {
    ...model,
    ...(customData !== undefined && { customData }),
    ...(given && { protectedSettings: { ...model.protectedSettings, ...given } }),
  });
}

function nothingToClear({ name }: PoolRef): UserError {
  return new UserError('--clear-bad needs the version that is good after all', {
    code: 'prototype/nothing-to-clear',
    kept: 'Nothing was touched.',
    next: `headstart prototype rollback --pool ${name} --to VERSION --clear-bad`,
  });
}

/** A rollback to a version does not need the Secret, so it works with a login that may not read it. */
async function readSavedValues(
  { cluster }: Site,
  pool: PoolRef,
  to: string | undefined,
  signal: AbortSignal,
): Promise<Readonly<Record<string, string>> | undefined> {
  try {
    return await readSavedModelSecret(cluster, pool, signal);
  } catch (error) {
    if (error instanceof Forbidden && to !== 'original') return undefined;
    throw error;
  }
}
