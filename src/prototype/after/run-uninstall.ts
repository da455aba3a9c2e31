// prototype/after/run-uninstall.ts: removes headstart from a pool: observe, apply the first step, repeat. After a kill the same command continues.

import type { WaitReporter } from '../../base/call-options.ts';
import { TransientError, UserError } from '../../base/errors.ts';
import { NotFound, Refused } from '../../base/failures.ts';
import type { PoolRef } from '../../vms/pools.ts';
import { lastRunName, leaseName, prototypeDefinitionName, SEALED_ANNOTATION, snapshotName } from '../names.ts';
import { type EngineDeps, recoverHeldDonor } from '../run/engine.ts';
import { fencedCluster, fencedProvider } from '../run/fence.ts';
import { backgroundRenewal, type Hold, withPoolHold } from '../run/hold-pool.ts';
import type { ObserveDeps } from '../run/observe.ts';
import { isSameMachine } from '../run/same-machine.ts';
import { recoveryIntent } from '../run/scene.ts';
import { unsealNode } from '../run/seal.ts';
import { MAX_ATTEMPTS, pauseBeforeRetry, withRetries } from '../run/with-retries.ts';
import { parseSavedModel } from '../saved-model.ts';
import { deleteSavedModelSecret, readSavedModelSecret } from '../saved-model-secret.ts';
import { planUninstall, type UninstallOptions, type UninstallPlan, type UninstallStep } from './uninstall.ts';
import type { UninstallWorld } from './uninstall-world.ts';

export type UninstallDeps = Omit<EngineDeps, 'seal' | 'customData'>;

export interface UninstallRequest {
  pool: PoolRef;
  gallery: string;
  runId: string;
  options: Omit<UninstallOptions, 'unsealed'>;
}

export interface UninstallResult {
  /** Descriptions of the applied steps. */
  done: string[];
  kept: UninstallPlan['kept'];
  sealed: string[];
}

export async function uninstallPool(request: UninstallRequest, given: UninstallDeps): Promise<UninstallResult> {
  const wanted = { pool: request.pool, holder: request.runId, note: `uninstall of ${request.pool.name}` };
  return withPoolHold(wanted, given, async (hold) => {
    const deps = { ...given, ...fencedProvider(given, hold), cluster: fencedCluster(given.cluster, hold) };
    const done: string[] = [];
    const unsealed = new Set<string>();
    const sealed = new Set<string>();
    const attempts = new Map<string, number>();
    for (;;) {
      await withRetries('hold-lease', hold.renew, deps);
      const world = await withRetries('observe', () => observePool(request, deps), deps);
      const plan = planUninstall(world, { ...request.options, unsealed });
      // Only the versions name the donors, and they will be deleted.
      for (const node of plan.sealed) sealed.add(node);
      const next = plan.steps[0];
      if (!next) {
        await withRetries(
          'forget-last-run',
          () => deps.cluster.deleteSecret(lastRunName(request.pool), deps.signal),
          deps,
        );
        return { done, kept: plan.kept, sealed: [...sealed].filter((node) => !unsealed.has(node)) };
      }
      const attempt = (attempts.get(next.id) ?? 0) + 1;
      attempts.set(next.id, attempt);
      if (attempt > MAX_ATTEMPTS) throw stuck(next, request.pool);
      deps.onEvent({ event: 'step', step: next.id, title: next.what, attempt });
      try {
        await perform(next, { request, world, unsealed, hold }, deps);
        if (!done.includes(next.what)) done.push(next.what);
      } catch (error) {
        if (!(error instanceof TransientError) || attempt >= MAX_ATTEMPTS) throw error;
        await pauseBeforeRetry(next.id, error, attempt, deps);
      }
    }
  });
}

/** Reads only: for a plan, and before every step. */
export async function observePool(
  { pool: ref, gallery: galleryName, runId }: Pick<UninstallRequest, 'pool' | 'gallery' | 'runId'>,
  { pools, snapshots, gallery, cluster, signal }: Omit<ObserveDeps, 'clock'>,
): Promise<UninstallWorld> {
  const [pool, instances, nodes, lease, definitions, snapshot, saved] = await Promise.all([
    pools.readPool(ref, { signal }),
    pools.listInstances(ref, { signal }),
    cluster.listNodes(signal),
    cluster.readLease(leaseName(ref), signal),
    gallery.listDefinitions(galleryName, { signal }),
    snapshots.readSnapshot(snapshotName(ref), { signal }),
    readSavedModelSecret(cluster, ref, signal),
  ]);
  if (!pool) throw new NotFound(`pool ${ref.name}`);
  const definition = definitions?.find(({ name }) => name.toLowerCase() === prototypeDefinitionName(ref).toLowerCase());
  return {
    pool,
    machines: instances.map((instance) => {
      const node = nodes.find(({ systemUuid }) => isSameMachine(systemUuid, instance.vmId));
      return { instance, ...(node && { node }) };
    }),
    lease: lease?.holder === runId ? undefined : lease,
    definition,
    gallery: definitions && { name: galleryName, definitions },
    versions: definition ? await gallery.listVersions(definition, { signal }) : [],
    references: definition ? await gallery.referencedImages(definition, { signal }) : new Set(),
    snapshot,
    savedModel: saved && parseSavedModel(saved, ref),
  };
}

interface StepContext {
  request: UninstallRequest;
  world: UninstallWorld;
  unsealed: Set<string>;
  hold: Hold;
}

async function perform(step: UninstallStep, context: StepContext, deps: UninstallDeps): Promise<void> {
  const renewal = backgroundRenewal(context.hold, deps.clock);
  const onWaiting: WaitReporter = (what, percent) => {
    renewal.ifDue();
    deps.onEvent({ event: 'waiting', step: step.id, for: what, ...(percent !== undefined && { percent }) });
  };
  await apply(step, context, deps, onWaiting).finally(renewal.settled);
}

async function apply(
  step: UninstallStep,
  context: StepContext,
  deps: UninstallDeps,
  onWaiting: WaitReporter,
): Promise<void> {
  const { request, world, unsealed, hold } = context;
  const { pools, snapshots, gallery, publisher, cluster, signal } = deps;
  const options = { signal, onWaiting };
  switch (step.id) {
    case 'bring-home':
      for (const { nodeName, ref } of step.donors) {
        const intent = recoveryIntent(nodeName, request.gallery);
        const quiet = { ...deps, seal: async () => undefined }; // restoring a donor seals nothing
        await recoverHeldDonor({ intent, donor: ref, runId: request.runId, deps: quiet, hold });
      }
      return;
    case 'put-pool-back':
      return publisher.changeModel(world.pool, step.change, options);
    case 'untag-pool':
      return pools.tagPool(world.pool.ref, Object.fromEntries(step.tags.map((tag) => [tag, null])), options);
    case 'unmark-nodes':
      for (const node of step.nodes) {
        await cluster.changeNode(node, { annotations: { [SEALED_ANNOTATION]: null } }, signal);
      }
      return;
    case 'unseal-nodes':
      for (const node of step.nodes) {
        onWaiting(node);
        await unsealNode(cluster, node, signal);
        unsealed.add(node);
      }
      return;
    case 'delete-snapshot':
      return snapshots.deleteSnapshot(step.name, options);
    case 'delete-versions':
      for (const name of step.names) await gallery.deleteVersion(world.definition!, name, options);
      return;
    case 'delete-definition':
      return replanIfRefused(() => gallery.deleteDefinition(world.definition!, options));
    case 'delete-gallery':
      return replanIfRefused(() => gallery.deleteGallery(step.name, options));
    case 'delete-recipe':
      return deleteSavedModelSecret(cluster, request.pool, signal);
    case 'delete-lease':
      return; // this run has taken it over and releases it at the end
  }
}

/** Something was added since the observation. As a transient failure it leads to a new observation and plan. */
async function replanIfRefused(order: () => Promise<void>): Promise<void> {
  try {
    await order();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new TransientError(error.message, { code: error.code, cause: error });
  }
}

function stuck({ what }: UninstallStep, pool: PoolRef): UserError {
  return new UserError(`could not ${what}: it had no effect in ${MAX_ATTEMPTS} attempts`, {
    code: 'prototype/stuck',
    kept: `What was removed from ${pool.name} so far is gone; nothing else was touched.`,
    next: 'check the cloud for the reason, then run the same command again: it continues',
    exitCode: 4,
  });
}
