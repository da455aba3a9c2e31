// prototype/donor/donor-verdict.ts: judges an inspected donor: can its clones join, is it patched, can the pool be rolled back?
import type { Node } from '../../cluster/cluster.ts';
import type { ImageRef } from '../../vms/pools.ts';
import { isPrototypeImage } from '../prototype-image.ts';
import type { Refusal } from '../run/preflight.ts';
import type { Inspection } from './inspect/inspection.ts';
import type { JoinMethod } from './inspect/join-method.ts';
import { type PatchState, patchState } from './inspect/patch-state.ts';
import { describeReference, staticReferences } from './inspect/static-references.ts';
import type { CloneJoin } from './join-token.ts';
import { unpatchedReasons } from './patched.ts';

/** Where a rollback gets the pool's original bootstrap, or why it needs none. */
export type BootstrapSource =
  | { kind: 'given' }
  | { kind: 'saved' }
  | { kind: 'found'; file: string }
  /** The pool's model contains it, and the provider returns it. */
  | { kind: 'kept' }
  /** The pool has no bootstrap and never had one. */
  | { kind: 'never any' }
  /** A specialized pool runs no bootstrap: a rollback restores only its image. */
  | { kind: 'not needed' }
  | { kind: 'none'; because: string };

export interface DonorVerdict {
  node: string;
  pool: string;
  /** Absent for a pool without a cluster. */
  joining?: CloneJoin;
  wayBack: BootstrapSource;
  /** Extensions that leave the model and whose command would be lost: it is in protected settings that are unknown. */
  withoutCommand: string[];
  /** The same for a pool that starts from a prototype already: its saved model lacks them. */
  lostCommands: string[];
  /** What a clone would inherit, each with its file and line. */
  findings: string[];
  /** Why the donor does not count as patched. */
  unpatched: string[];
  /** What the donor itself knows about its patches. */
  patches: PatchState;
}

export function judgeDonor(seen: {
  inspection: Inspection;
  node: Node;
  pool: string;
  poolNodes: readonly Node[];
  joining?: CloneJoin;
  wayBack: BootstrapSource;
  withoutCommand?: string[];
  lostCommands?: string[];
  /** How long a donor has to run with its newest packages. */
  provenMs?: number | undefined;
}): DonorVerdict {
  const { inspection, node, pool, poolNodes, joining, wayBack, withoutCommand = [], lostCommands = [] } = seen;
  const patches = patchState(inspection, seen.provenMs);
  return {
    node: node.name,
    pool,
    ...(joining && { joining }),
    wayBack,
    withoutCommand,
    lostCommands,
    findings: staticReferences(inspection).map(describeReference),
    unpatched: [...unpatchedReasons(node, poolNodes), ...patches.reasons],
    patches,
  };
}

export function chooseBootstrapSource(seen: {
  isGiven: boolean;
  /** The pool starts from a prototype: its model says nothing about the original. */
  isOnPrototype: boolean;
  /** The original, or the bootstrap of the model that the pool has now, is saved. */
  isSaved: boolean;
  isSpecialized: boolean;
  isInModel: boolean;
  neverHadAny: boolean;
  /** The donor was made from the model that the pool has now. */
  isOfModel: boolean;
  inspection: Inspection;
}): BootstrapSource {
  const { isGiven, isOnPrototype, isSaved, isSpecialized, isInModel, neverHadAny, isOfModel, inspection } = seen;
  if (isOnPrototype) return isSaved ? { kind: 'saved' } : { kind: 'none', because: ORIGINAL_GONE };
  if (isGiven) return { kind: 'given' };
  if (isSpecialized) return { kind: 'not needed' };
  if (isInModel) return { kind: 'kept' };
  if (neverHadAny) return { kind: 'never any' };
  if (inspection.customData && isOfModel) return { kind: 'found', file: inspection.customData.file };
  if (isSaved) return { kind: 'saved' };
  return { kind: 'none', because: inspection.customData ? OF_ANOTHER_MODEL : NOT_ON_DONOR };
}

/** Custom data alone would not help: the original image and extensions are unknown too. */
const ORIGINAL_GONE = 'it starts from a prototype, and its original model is not saved';
const OF_ANOTHER_MODEL =
  'the cloud never returns custom data, and the donor was made from another image than the pool has now';
const NOT_ON_DONOR = 'the cloud never returns custom data, and the donor has none';

/**
 * Whether an instance was made from this image, so that what is found on it belongs to the model. An instance made from a prototype has
 * the empty custom data of that prototype. If the provider does not report the image, the instance counts as made from it.
 */
export function isMadeFrom(made: ImageRef | undefined, image: ImageRef): boolean {
  if (!made) return true;
  if (isPrototypeImage(made, undefined)) return false;
  if (made.kind === 'marketplace' || image.kind === 'marketplace') {
    if (made.kind !== 'marketplace' || image.kind !== 'marketplace') return false;
    const isSameVersion = image.version === 'latest' || made.version === 'latest' || made.version === image.version;
    return isSameVersion && (['publisher', 'offer', 'sku'] as const).every((key) => isSame(made[key], image[key]));
  }
  const isOfDefinition =
    image.kind === 'definition' && `${made.id}/`.toLowerCase().startsWith(`${image.id}/`.toLowerCase());
  return isSame(made.id, image.id) || isOfDefinition;
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}

/** All reasons at once, the hardest to resolve first. */
export function donorRefusals(
  { node, pool, joining, wayBack, withoutCommand, findings, unpatched }: DonorVerdict,
  allowed: { mayBeUnpatched: boolean; mayLoseBootstrap: boolean },
): Refusal[] {
  const refusals: Refusal[] = [];
  const obstacles = [
    ...findings.map((finding) => `${finding}, which a clone would inherit`),
    ...(joining?.method.kind === 'none'
      ? [`a clone could not join the cluster: ${joining.method.reasons.join('; ')}`]
      : []),
  ];
  if (obstacles.length > 0) {
    refusals.push({
      code: 'prototype/not-clonable',
      reason: `${node} cannot be cloned: ${obstacles.join('; ')}`,
      next: 'fix these problems on the node, then run the same command again',
    });
  }
  if (unpatched.length > 0 && !allowed.mayBeUnpatched) {
    refusals.push({
      code: 'prototype/unpatched',
      reason: `${node} is not patched: ${unpatched.join('; ')}`,
      next: `headstart prototype candidates --pool ${pool}, or give --allow-unpatched`,
    });
  }
  if (wayBack.kind === 'none' && !allowed.mayLoseBootstrap) {
    refusals.push({
      code: 'prototype/no-way-back',
      reason: `the original bootstrap of ${pool} is unknown: ${wayBack.because}`,
      next:
        wayBack.because === ORIGINAL_GONE
          ? `point ${pool} at its own image and bootstrap first, or accept with --without-way-back that they cannot be restored`
          : 'give it with --custom-data FILE, or accept with --without-way-back that it cannot be restored',
    });
  }
  if (withoutCommand.length > 0 && !allowed.mayLoseBootstrap) {
    refusals.push({
      code: 'prototype/no-way-back',
      reason: `the protected settings of ${withoutCommand.join(', ')} of ${pool} are unknown and hold its command: the cloud never returns them, and the donor has no readable copy for this model`,
      next: 'give them with --protected-settings FILE, or accept with --without-way-back that they cannot be restored',
    });
  }
  return refusals;
}

export function describeCloneJoin({ method, note }: CloneJoin): string {
  return [withEnd(method), ...(note === undefined ? [] : [note])].join('; ');
}

/** A version is used for weeks, so the run warns about a credential that expires earlier. */
const SOON_MS = 30 * 24 * 3_600_000;

export function joinWarning(joining: CloneJoin, nowMs: number): string | undefined {
  const { method, note } = joining;
  const endsSoon = 'expiresMs' in method && method.expiresMs !== undefined && method.expiresMs < nowMs + SOON_MS;
  if (!endsSoon && note === undefined) return undefined;
  const after = endsSoon ? ': new instances that start after that cannot join' : '';
  return `a clone joins by ${describeCloneJoin(joining)}${after}`;
}

function withEnd(method: JoinMethod): string {
  const what = describeMethod(method);
  return 'expiresMs' in method && method.expiresMs !== undefined
    ? `${what}, until ${new Date(method.expiresMs).toISOString()}`
    : what;
}

function describeMethod(method: JoinMethod): string {
  switch (method.kind) {
    case 'shared-certificate':
      return `the shared certificate ${method.subject} in ${method.file}`;
    case 'shared-token':
      return `the shared token in ${method.file}`;
    case 'bootstrap-token':
      return `bootstrap token${method.tokenId === undefined ? '' : ` ${method.tokenId}`} in ${method.file}`;
    case 'exec-credential':
      return `the program ${method.command}, named in ${method.file}`;
    case 'metadata':
      return `${method.unit}, from its instance metadata`;
    case 'given-credential':
      return `the credential that each instance gets when it starts (${method.file})`;
    case 'none':
      return `no method: ${method.reasons.join('; ')}`;
  }
}

export function describeBootstrapSource(wayBack: BootstrapSource): string {
  switch (wayBack.kind) {
    case 'given':
      return 'the given custom data';
    case 'saved':
      return 'the model saved by an earlier run';
    case 'found':
      return `the custom data found on the donor (${wayBack.file})`;
    case 'kept':
      return 'the custom data of its model';
    case 'never any':
      return 'its image: the pool has no bootstrap';
    case 'not needed':
      return 'its image: a specialized pool runs no bootstrap';
    case 'none':
      return `none: ${wayBack.because}`;
  }
}
