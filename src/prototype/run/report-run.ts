// prototype/run/report-run.ts: says how a run ended where it can still be read when the run's Job and log are gone.
import type { Clock } from '../../base/clock.ts';
import type { Node } from '../../cluster/cluster.ts';
import type { PoolRef } from '../../vms/pools.ts';
import type { NamedDonor } from '../donor/find-donor.ts';
import { findSitePool } from '../donor/find-pool.ts';
import { failureOf, type LastRun, writeLastRun } from '../last-run.ts';
import type { Site } from '../site.ts';
import type { RunResult } from './engine.ts';

export interface RunReportDeps {
  clock: Pick<Clock, 'nowMs'>;
  /** Not the run's own signal: an interrupted run is reported, too. */
  restoreSignal?: AbortSignal | undefined;
}

/** A pool, and the donor if there is one. */
interface Subject {
  pool: PoolRef;
  node?: Node;
  /** Asked when the run has ended. */
  hasRestarted?(): boolean;
}

/** An Event on the donor, and the pool's record for `prototype status`. Neither changes how the run ends. */
export async function reportRun(
  site: Site,
  subject: Subject,
  deps: RunReportDeps,
  work: () => Promise<RunResult>,
): Promise<RunResult> {
  let result: RunResult;
  try {
    result = await work();
  } catch (error) {
    await reportFailure(site, subject, deps, error);
    throw error;
  }
  const { version, steps } = result;
  await record(site, subject, deps, { outcome: 'succeeded', version });
  const message = `new instances of ${subject.pool.name} start from version ${version}`;
  if (steps.length > 0) await tell(site, subject, deps, 'PrototypeSucceeded', message);
  return result;
}

/** A run that names a pool may end before it has a donor. */
export async function reportSearch<T>(
  site: Site,
  named: NamedDonor,
  deps: RunReportDeps,
  search: () => Promise<T>,
): Promise<T> {
  try {
    return await search();
  } catch (error) {
    const signal = deps.restoreSignal ?? new AbortController().signal;
    const pool = 'pool' in named ? await findSitePool(site, named.pool, signal).catch(() => undefined) : undefined;
    if (pool) await reportFailure(site, { pool }, deps, error);
    throw error;
  }
}

async function reportFailure(site: Site, subject: Subject, deps: RunReportDeps, error: unknown): Promise<void> {
  const failure = failureOf(error);
  if (!failure) return;
  await record(site, subject, deps, { outcome: 'failed', ...failure });
  const { reason, next, code } = failure;
  const message = [reason, next && `next: ${next}`, code && `code: ${code}`].filter(Boolean).join('; ');
  await tell(site, subject, deps, 'PrototypeFailed', message);
}

async function record(
  { cluster }: Site,
  { pool, node, hasRestarted }: Subject,
  { clock, restoreSignal }: RunReportDeps,
  end: Omit<LastRun, 'endedAt' | 'node'>,
): Promise<void> {
  const endedAt = new Date(clock.nowMs()).toISOString();
  await writeLastRun(
    cluster,
    pool,
    { ...end, endedAt, ...(node && { node: node.name }), ...(hasRestarted?.() && { hasRestarted: true }) },
    restoreSignal,
  );
}

async function tell(
  { cluster }: Site,
  { node }: Subject,
  { restoreSignal }: RunReportDeps,
  reason: string,
  message: string,
): Promise<void> {
  if (node) await cluster.recordEvent(node, reason, message, restoreSignal).catch(() => undefined);
}
