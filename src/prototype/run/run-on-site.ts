// prototype/run/run-on-site.ts: a whole run: restore other donors of the pool, check the login's access, approve this donor, run the steps.

import { UserError } from '../../base/errors.ts';
import type { Access } from '../../vms/provider.ts';
import { type ApproveDeps, approveDonor, type DonorTerms } from '../donor/approve-donor.ts';
import type { FoundDonor } from '../donor/find-donor.ts';
import type { Site } from '../site.ts';
import { type EngineDeps, type RunResult, recoverDonor, runPrototype } from './engine.ts';
import { readPrior } from './prior.ts';
import { reportRun } from './report-run.ts';
import type { Intent } from './scene.ts';
import { sealMachine, sealNode } from './seal.ts';

export interface RunOrder {
  intentFor(nodeName: string): Intent;
  terms: DonorTerms;
  runId: string;
}

export type RunDeps = Pick<EngineDeps, 'clock' | 'signal' | 'restoreSignal' | 'onEvent'> & ApproveDeps;

const NO_OBJECTION: Access = { refusals: [], notes: [] };

export async function runOnSite(site: Site, donor: FoundDonor, order: RunOrder, deps: RunDeps): Promise<RunResult> {
  let isRestarted = false;
  const onEvent: RunDeps['onEvent'] = (event) => {
    if (event.event === 'step' && event.step === 'start-donor') isRestarted = true;
    deps.onEvent(event);
  };
  const { pool } = donor.ref;
  const subject = { pool, ...(donor.node && { node: donor.node }), hasRestarted: () => isRestarted };
  return reportRun(site, subject, deps, () => runReported(site, donor, order, { ...deps, onEvent }));
}

async function runReported(
  site: Site,
  donor: FoundDonor,
  { intentFor, terms, runId }: RunOrder,
  deps: RunDeps,
): Promise<RunResult> {
  const { provider, cluster, hasCluster } = site;
  const { name, ref, because, strays } = donor;
  const { clock, signal, restoreSignal, onEvent } = deps;
  if (because !== undefined) onEvent({ event: 'donor', node: name, because });
  const seal = hasCluster ? sealNode : sealMachine;
  const engine: EngineDeps = {
    ...provider,
    cluster,
    clock,
    signal,
    restoreSignal,
    seal: (nodeName, vmId) => seal(cluster, nodeName, vmId, signal),
    onEvent,
  };
  for (const stray of strays) await recoverDonor(intentFor(stray.name), stray.ref, runId, engine);
  await requireAccess(site, donor, deps, () => recoverDonor(intentFor(name), ref, runId, engine));
  // A refusal must not leave it out of service. The annotation alone is enough for the engine to restore it.
  const isOut = donor.isOut === true;
  if (isOut && (donor.refusals.length > 0 || !readPrior(donor.node)))
    await recoverDonor(intentFor(name), ref, runId, engine);
  const settled = await approveDonor(site, donor, terms, deps).catch((error: unknown) => {
    throw isOut || strays.length > 0 ? withRestored(error) : error;
  });
  return runPrototype(intentFor(name), ref, runId, { ...engine, ...settled });
}

/** The same refusal, for a run that has restored donors of earlier runs before it. */
function withRestored(error: unknown): unknown {
  if (!(error instanceof UserError) || error.kept === undefined) return error;
  const { message, code, next } = error;
  const kept = 'Donors of earlier runs are back in service; nothing else was changed.';
  return new UserError(message, { code, kept, exitCode: 1, cause: error, ...(next !== undefined && { next }) });
}

/** Throws all reasons at once, after `restore` if an earlier run left the donor out of service. */
async function requireAccess(
  { provider, gallery }: Site,
  { node, ref, isOut: isMarked }: FoundDonor,
  { signal, onWarning }: RunDeps,
  restore: () => Promise<unknown>,
): Promise<void> {
  const { refusals, notes } = (await provider.checkAccess?.(ref.pool, gallery, { signal })) ?? NO_OBJECTION;
  for (const note of notes) onWarning(note);
  const [first] = refusals;
  if (!first) return;
  const isOut = isMarked === true || readPrior(node) !== undefined;
  if (isOut) await restore();
  throw new UserError(refusals.map(({ reason }) => reason).join('; '), {
    code: first.code,
    kept: isOut ? 'The donor is back in service; nothing else was changed.' : 'Nothing was changed.',
    next: first.next,
    exitCode: 1,
  });
}
