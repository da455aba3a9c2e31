// prototype/names.ts: what are the things a run makes called, and which marks does it leave? Persisted: never renamed.
import { UserError } from '../base/errors.ts';

/** On the node while it is out of service: what it looked like before. Removed last, in the patch that restores it. */
export const PRIOR_ANNOTATION = 'headstart.dev/prototype-prior';
/** On the node between seal and restore: which run sealed it. */
export const SEALED_ANNOTATION = 'headstart.dev/prototype-sealed';
/** Which boot of the donor was about to be ended, and when. */
export const STOPPED_ANNOTATION = 'headstart.dev/prototype-stopped';
/** Keeps cluster-autoscaler from removing the donor while it is drained and off. */
export const AUTOSCALER_ANNOTATION = 'cluster-autoscaler.kubernetes.io/scale-down-disabled';
/** Its counterpart for Karpenter. */
export const KARPENTER_ANNOTATION = 'karpenter.sh/do-not-disrupt';

/** On the instance while it is out of service, so that it is brought home even if its Node object is deleted meanwhile. */
export const DONOR_TAG = 'headstart-donor-of';

/** On snapshots and versions. */
export const TAGS = {
  donor: 'headstart-donor',
  donorVmId: 'headstart-donor-vm',
  version: 'headstart-version',
  run: 'headstart-run',
} as const;

/** On the pool: new instances run no bootstrap, and since which version. */
export const BOOTSTRAP_TAG = 'headstart-bootstrap';
export const MODEL_TAG = 'headstart-prototype';

/** Gallery names allow letters, digits, dots and underscores, and are unique in a subscription. */
export function galleryName(cluster: string): string {
  const name = `SIG_${cluster.replaceAll('-', '_')}`;
  if (/^[A-Za-z0-9][A-Za-z0-9_.]{0,79}$/.test(name)) return name;
  throw new UserError(
    `"${cluster}" does not make a gallery name: ${name} may hold letters, digits, "_" and "." only, 80 at most`,
    {
      code: 'prototype/bad-cluster-name',
      next: 'give another name with --cluster',
    },
  );
}

/** Of our definitions: one of that name with another publisher is somebody else's. */
export const PUBLISHER = 'headstart';

export function prototypeDefinitionName(pool: string): string {
  return `kamino-${pool}-prototype`;
}

export function isPrototypeDefinition(name: string): boolean {
  return /^kamino-.+-prototype$/.test(name);
}

/** One per pool: a second capture of the same pool finds the first. */
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
