// image/build/files/size-budget.ts: is what goes into an image as large as its manifest allows, and if not, what is it that is so large?
import { UserError } from '../../../base/errors.ts';
import type { ImageLock } from '../../lock/lock.ts';

export interface Contributor {
  name: string;
  bytes: number;
}

const MIB = 2 ** 20;
const NAMED = 8;

/** A warning, when it is near. Throws when it is over. */
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
      kept: 'No image was made; earlier ones are as they were.',
      next: 'leave something out of the manifest, or raise disk.budgetMb there, then: headstart image lock',
      exitCode: 1,
    });
  }
  return percent >= warnPercent ? `${size}; largest: ${largest(contributors).slice(0, 3).join(', ')}` : undefined;
}

/** Long before the file system would be full: nothing was unpacked yet. */
export function ensureFits(contributors: readonly Contributor[], rootBytes: number): void {
  const bytes = contributors.reduce((sum, contributor) => sum + contributor.bytes, 0);
  if (bytes <= rootBytes) return;
  const sizes = `the packages take ${inMib(bytes)}, and the disk has ${inMib(rootBytes)} for them`;
  throw new UserError(`${sizes}\n         largest: ${largest(contributors).join(', ')}`, {
    code: 'image/disk-too-small',
    kept: 'No image was made; earlier ones are as they were.',
    next: 'raise disk.sizeMb in the manifest, then: headstart image lock',
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
