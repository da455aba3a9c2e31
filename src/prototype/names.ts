// prototype/names.ts: names, tags and annotations that runs persist. Never rename them.
import { createHash } from 'node:crypto';
import { UserError } from '../base/errors.ts';
import type { PoolRef } from '../vms/pools.ts';

/** The node's state before the run, set while the node is out of service. The patch that restores the node removes it. */
export const PRIOR_ANNOTATION = 'headstart.dev/prototype-prior';
/** The id of the run that drained the node; set from drain to restore. */
export const DRAINED_ANNOTATION = 'headstart.dev/prototype-drained';
/** The id of the run that sealed the node, and the disk it sealed; set from seal to restore. */
export const SEALED_ANNOTATION = 'headstart.dev/prototype-sealed';
/** The boot id of the donor before the run stops it, and the time. */
export const STOPPED_ANNOTATION = 'headstart.dev/prototype-stopped';
/** Keeps cluster-autoscaler from removing the donor while it is drained and off. */
export const AUTOSCALER_ANNOTATION = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
/** The same for Karpenter. */
export const KARPENTER_ANNOTATION = 'karpenter.sh/do-not-disrupt';

/** On the instance while it is out of service, so that a run can restore it even if its Node object was deleted. */
export const DONOR_TAG = 'headstart-donor-of';

/** On snapshots and versions. */
export const TAGS = {
  donor: 'headstart-donor',
  donorVmId: 'headstart-donor-vm',
  version: 'headstart-version',
  run: 'headstart-run',
  /** `poolMark` of the pool that it was made for. */
  pool: 'headstart-pool',
  /** The id of the run that drained and sealed the disk. */
  sealed: 'headstart-sealed',
} as const;

/** On a version that a rollback left: the reason and the date. `bad-version.ts` reads it. */
export const BAD_TAG = 'headstart-bad';

/** On the pool: `none` if new instances run no bootstrap. */
export const BOOTSTRAP_TAG = 'headstart-bootstrap';
/** On the pool: the version that its model points at. */
export const MODEL_TAG = 'headstart-prototype';
/** On the pool, from the model's change until the end of a rollback without a named version: the version that it left. */
export const ROLLBACK_TAG = 'headstart-rolled-back-from';

/** What Azure accepts. A gallery's name is unique in a subscription. */
const GALLERY_NAME = /^[A-Za-z0-9](?:[A-Za-z0-9_.]{0,78}[A-Za-z0-9])?$/;

export function checkGalleryName(name: string): string {
  if (GALLERY_NAME.test(name)) return name;
  throw new UserError(
    `${JSON.stringify(name)} is not a gallery name: expected at most 80 letters, digits, "_" and ".", with a letter or digit at both ends`,
    { code: 'prototype/bad-gallery-name', kept: 'Nothing was touched.', next: 'give another name with --gallery' },
  );
}

/** The default gallery of a resource group or of this machine. */
export function galleryName(group: string): string {
  const name = `SIG_${group.replaceAll('-', '_')}`;
  if (group !== '' && GALLERY_NAME.test(name)) return name;
  throw new UserError(
    `"${group}" does not make a gallery name: ${name} may hold letters, digits, "_" and "." only, 80 at most, and ends in a letter or digit`,
    {
      code: 'prototype/bad-cluster-name',
      next: 'give the gallery a name with --gallery',
    },
  );
}

/** The publisher of our definitions. A definition of the same name with another publisher is not ours. */
export const PUBLISHER = 'headstart';

/** The names of two pools may be equal, in two resource groups or once they are written as Kubernetes accepts them; ids are not. */
function poolHash({ id }: PoolRef): string {
  return createHash('sha256').update(id.toLowerCase()).digest('hex').slice(0, 8);
}

/** The name that kamino gives it, so that its versions are found. Azure allows 80 characters. */
export function prototypeDefinitionName(pool: PoolRef): string {
  const name = `kamino-${pool.name}-prototype`;
  return name.length <= 80 ? name : `kamino-${pool.name.slice(0, 54)}-${poolHash(pool)}-prototype`;
}

export function isPrototypeDefinition(name: string): boolean {
  return /^kamino-.+-prototype$/i.test(name);
}

/** One snapshot per pool, so that a second capture of the pool finds the first. Azure allows 80 characters. */
export function snapshotName(pool: PoolRef): string {
  return `headstart-${pool.name.replace(/[^\w.-]/g, '-').slice(0, 51)}-${poolHash(pool)}-prototype`;
}

/** For a snapshot of the pool that cannot have the usual name, because an older one cannot be deleted. Azure allows 80 characters. */
export function datedSnapshotName(usual: string, version: string): string {
  return `${usual.slice(0, 79 - version.length)}-${version}`;
}

/** Azure's limit for the offer and the sku of a definition. */
const LONGEST_LABEL = 64;

/** Offer and sku of our definitions. */
export function prototypeLabels(gallery: string, { name }: PoolRef): { offer: string; sku: string } {
  return { offer: fitted(gallery, LONGEST_LABEL), sku: fitted(name, LONGEST_LABEL) };
}

/** A name that is too long is cut; a digest of all of it keeps two long names distinct. */
function fitted(name: string, longest: number): string {
  if (name.length <= longest) return name;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 8);
  return `${name.slice(0, longest - digest.length - 1)}-${digest}`;
}

/** The chart computes the same names, to limit its rights to them. */
export function leaseName(pool: PoolRef): string {
  return `headstart-prototype-${kubernetesName(pool)}`;
}

export function savedModelName(pool: PoolRef): string {
  return `headstart-recipe-${kubernetesName(pool)}`;
}

/** How the pool's last run ended. */
export function lastRunName(pool: PoolRef): string {
  return `headstart-last-run-${kubernetesName(pool)}`;
}

/** With any prefix of at most 20 characters it is a label, which has 63 at most. */
function kubernetesName(pool: PoolRef): string {
  return `${asLabel(pool.name).slice(0, 34)}-${poolHash(pool)}`;
}

function asLabel(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9-]/g, '-');
}

/** The names of the first release, which pools of the same name share. */
export const FORMER = {
  leaseName: ({ name }: PoolRef) => `headstart-prototype-${asLabel(name)}`,
  savedModelName: ({ name }: PoolRef) => `headstart-recipe-${asLabel(name)}`,
} as const;

/** Azure limits the value of a tag, and an id may be longer. */
const LONGEST_TAG = 256;

/** The pool's id, as a tag's value. */
export function poolMark({ id }: PoolRef): string {
  const mark = id.toLowerCase();
  return mark.length <= LONGEST_TAG ? mark : `sha256:${createHash('sha256').update(mark).digest('hex')}`;
}

/** Whether a snapshot or version is marked as another pool's. kamino and the first release mark nothing. */
export function isOfOtherPool(tags: Readonly<Record<string, string>>, pool: PoolRef): boolean {
  const mark = tags[TAGS.pool];
  return mark !== undefined && mark.toLowerCase() !== poolMark(pool);
}

/** Versions compare as integers: `2026.2.10` comes after `2026.2.9`. */
export function compareVersionNames(a: string, b: string): number {
  const left = a.split('.').map(Number);
  const right = b.split('.').map(Number);
  for (let i = 0; i < 3; i++) {
    const difference = (left[i] ?? 0) - (right[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
