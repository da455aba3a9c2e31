// prototype/names.ts: names, tags and annotations that runs persist. Never rename them.
import { UserError } from '../base/errors.ts';

/** The node's state before the run, set while the node is out of service. The patch that restores the node removes it. */
export const PRIOR_ANNOTATION = 'headstart.dev/prototype-prior';
/** The id of the run that sealed the node; set from seal to restore. */
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
} as const;

/** On a version that a rollback left: the reason and the date. `bad-version.ts` reads it. */
export const BAD_TAG = 'headstart-bad';

/** On the pool: `none` if new instances run no bootstrap. */
export const BOOTSTRAP_TAG = 'headstart-bootstrap';
/** On the pool: the version that its model points at. */
export const MODEL_TAG = 'headstart-prototype';

/** What Azure accepts. A gallery's name is unique in a subscription. */
const GALLERY_NAME = /^[A-Za-z0-9][A-Za-z0-9_.]{0,79}$/;

export function checkGalleryName(name: string): string {
  if (GALLERY_NAME.test(name)) return name;
  throw new UserError(
    `${JSON.stringify(name)} is not a gallery name: expected at most 80 letters, digits, "_" and "."`,
    { code: 'prototype/bad-gallery-name', kept: 'Nothing was touched.', next: 'give another name with --gallery' },
  );
}

/** The default gallery of a resource group or of this machine. */
export function galleryName(group: string): string {
  const name = `SIG_${group.replaceAll('-', '_')}`;
  if (group !== '' && GALLERY_NAME.test(name)) return name;
  throw new UserError(
    `"${group}" does not make a gallery name: ${name} may hold letters, digits, "_" and "." only, 80 at most`,
    {
      code: 'prototype/bad-cluster-name',
      next: 'give the gallery a name with --gallery',
    },
  );
}

/** The publisher of our definitions. A definition of the same name with another publisher is not ours. */
export const PUBLISHER = 'headstart';

export function prototypeDefinitionName(pool: string): string {
  return `kamino-${pool}-prototype`;
}

export function isPrototypeDefinition(name: string): boolean {
  return /^kamino-.+-prototype$/i.test(name);
}

/** One snapshot per pool, so that a second capture of the pool finds the first. */
export function snapshotName(pool: string): string {
  return `headstart-${pool}-prototype`;
}

export function leaseName(pool: string): string {
  return `headstart-prototype-${pool.toLowerCase().replace(/[^a-z0-9-]/g, '-')}`;
}

export function savedModelName(pool: string): string {
  return `headstart-recipe-${pool.toLowerCase().replace(/[^a-z0-9-]/g, '-')}`;
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
