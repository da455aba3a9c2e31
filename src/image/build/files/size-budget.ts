// image/build/files/size-budget.ts: does the content of an image fit its budget, and if not, what are the largest parts?
import { UserError } from '../../../base/errors.ts';
import type { ImageLock } from '../../lock/lock.ts';

export interface Contributor {
  name: string;
  bytes: number;
}

const MIB = 2 ** 20;
const NAMED = 8;

/** Returns a warning if the content is close to the budget. Throws if it exceeds it. */
export function checkSizeBudget(
  contentBytes: number,
  { budgetMb, warnPercent }: ImageLock['disk'],
  contributors: readonly Contributor[],
): string | undefined {
  const percent = Math.round((100 * contentBytes) / (budgetMb * MIB));
  const size = `the image's content takes ${inMib(contentBytes)} of ${budgetMb} MiB (${percent} %)`;
  if (contentBytes > budgetMb * MIB) {
    throw new UserError(`${size}\n         largest: ${largest(contributors).join(', ')}`, {
      code: 'image/over-budget',
      kept: 'No image was built; existing images are unchanged.',
      next: 'remove components from the manifest, or raise disk.budgetMb, then run: headstart image lock',
      exitCode: 1,
    });
  }
  return percent >= warnPercent ? `${size}; largest: ${largest(contributors).slice(0, 3).join(', ')}` : undefined;
}

/** Checked before anything is unpacked, instead of when the file system is full. */
export function ensureFits(contributors: readonly Contributor[], rootBytes: number): void {
  const bytes = contributors.reduce((sum, contributor) => sum + contributor.bytes, 0);
  if (bytes <= rootBytes) return;
  const sizes = `the packages need ${inMib(bytes)}, but the root partition has ${inMib(rootBytes)}`;
  throw new UserError(`${sizes}\n         largest: ${largest(contributors).join(', ')}`, {
    code: 'image/disk-too-small',
    kept: 'No image was built; existing images are unchanged.',
    next: 'raise disk.sizeMb in the manifest, then run: headstart image lock',
    exitCode: 1,
  });
}

function largest(contributors: readonly Contributor[]): string[] {
  return contributors
    .toSorted((a, b) => b.bytes - a.bytes || (a.name < b.name ? -1 : 1))
    .slice(0, NAMED)
    .map(({ name, bytes }) => `${name} ${inMib(bytes)}`);
}

const inMib = (bytes: number) => `${Math.ceil(bytes / MIB)} MiB`;
