// prototype/donor/assess-donor.ts: inspects the donor and judges it. Read-only.
import type { Clock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { Secret } from '../../base/secret.ts';
import type { Node } from '../../cluster/cluster.ts';
import type { ProtectedSettings, SavedModel } from '../../vms/publisher.ts';
import { MODEL_TAG } from '../names.ts';
import { leavingExtensions, settingsFound, withoutCommand } from '../protected-settings.ts';
import { isPrototypeImage } from '../prototype-image.ts';
import { readPrior } from '../run/prior.ts';
import { isSameMachine } from '../run/same-machine.ts';
import type { SavedExtension } from '../saved-extension.ts';
import { savedModelOf, tryParseSavedModel } from '../saved-model.ts';
import { readSavedModelSecret } from '../saved-model-secret.ts';
import type { Site } from '../site.ts';
import { chooseBootstrapSource, type DonorVerdict, isMadeFrom, judgeDonor } from './donor-verdict.ts';
import { inspectDonor } from './inspect/inspect-donor.ts';
import type { ExtensionSettings, Inspection } from './inspect/inspection.ts';
import { findCloneJoin } from './join-token.ts';
import type { LocatedNode } from './locate-nodes.ts';
import { type PoolMember, readMembers } from './members.ts';

export interface DonorToInspect extends LocatedNode {
  /** All members of its pool; read if absent. */
  members?: readonly PoolMember[];
  /** The operator provides the pool's original bootstrap. */
  hasGivenBootstrap: boolean;
  /** The minimum time for which it has been Ready, and has run with its newest packages; default: an hour. */
  provenMs?: number | undefined;
  /** Protected settings of extensions, likewise. */
  givenSettings?: ProtectedSettings;
}

export interface InspectDeps {
  clock: Pick<Clock, 'nowMs'>;
  signal: AbortSignal;
  /** Called before a script runs on the node. */
  onInspect(nodeName: string): void;
}

/** undefined: the node can be inspected. */
export function reasonNotToInspect(node: Node): string | undefined {
  if (readPrior(node)) return 'a run has taken it out of service';
  return node.isReady ? undefined : 'it is not Ready';
}

/** Runs a script through a short-lived privileged pod, or directly if there is no cluster. */
export async function assessDonor(
  site: Site,
  { node, ref, members, hasGivenBootstrap, givenSettings, provenMs }: DonorToInspect,
  { clock, signal, onInspect }: InspectDeps,
): Promise<{ verdict: DonorVerdict; bootstrap?: Secret; protectedSettings: ProtectedSettings }> {
  const { cluster, provider } = site;
  const all = members ?? (await readMembers(site, ref.pool, signal));
  const [pool, savedModel, current] = await Promise.all([
    provider.pools.readPool(ref.pool, { signal }),
    readSavedModelSecret(cluster, ref.pool, signal),
    provider.publisher.readModel(ref.pool, { signal }),
  ]);
  onInspect(node.name);
  const inspection = await inspectDonor(cluster, node.name, signal, site.channel);
  requireSameMachine(inspection, node);
  const context = {
    nodeName: node.name,
    nowMs: clock.nowMs(),
    ...(site.givesCredentials && { givesCredentials: true }),
  };
  const isOnPrototype = isPrototypeImage(current.image, undefined);
  const instance = all.find((member) => member.node.name === node.name)?.instance;
  const isOfModel = isMadeFrom(instance?.image, current.image);
  const saved = pool && savedModelOf(savedModel, pool);
  const leaving = isOnPrototype ? [] : leavingExtensions(current);
  const onDonor = isOfModel ? inspection.extensionSettings : [];
  const protectedSettings = protectedSettingsFor(leaving, { given: givenSettings ?? {}, onDonor, saved });
  const verdict = judgeDonor({
    inspection,
    node,
    provenMs,
    pool: ref.pool.name,
    poolNodes: all.map((member) => member.node),
    ...(site.hasCluster && { joining: await findCloneJoin(cluster, inspection, context, signal) }),
    withoutCommand: withoutCommand(leaving, protectedSettings),
    lostCommands: isOnPrototype ? lostCommands(savedModel) : [],
    wayBack: chooseBootstrapSource({
      isGiven: hasGivenBootstrap,
      isOnPrototype,
      isSaved: isOnPrototype ? savedModel !== undefined : saved?.customData !== undefined,
      isOfModel,
      isSpecialized: pool?.model.osState === 'specialized',
      isInModel: current.customData !== undefined,
      // A run removes the bootstrap and tags the pool.
      neverHadAny: pool?.model.bootstrap === 'none' && pool.tags[MODEL_TAG] === undefined,
      inspection,
    }),
  });
  return { verdict, protectedSettings, ...(inspection.customData && { bootstrap: inspection.customData.base64 }) };
}

/** A rollback to the saved original would need these from the operator; a run loses nothing more. */
function lostCommands(values: Readonly<Record<string, string>> | undefined): string[] {
  const saved = values && tryParseSavedModel(values);
  return saved ? withoutCommand(leavingExtensions(saved), saved.protectedSettings ?? {}) : [];
}

/** Settings of the operator come first, then those of the donor, then those that an earlier run saved for the same model. */
function protectedSettingsFor(
  leaving: readonly SavedExtension[],
  seen: { given: ProtectedSettings; onDonor: readonly ExtensionSettings[]; saved: SavedModel | undefined },
): ProtectedSettings {
  const names = new Set(leaving.map(({ name }) => name));
  const all = { ...seen.saved?.protectedSettings, ...settingsFound(leaving, seen.onDonor), ...seen.given };
  return Object.fromEntries(Object.entries(all).filter(([name]) => names.has(name)));
}

/** The operator may have named the host of another machine. The seal would refuse it too, but only after the drain. */
function requireSameMachine({ vmId }: Inspection, { name, systemUuid }: Node): void {
  if (systemUuid === '' || isSameMachine(vmId, systemUuid)) return;
  throw new UserError(`the inspected machine has VM id ${vmId || '(none)'}, but ${name} has ${systemUuid}`, {
    code: 'prototype/other-machine',
    kept: 'Nothing was changed.',
    next: 'name the host of this instance',
    exitCode: 1,
  });
}
