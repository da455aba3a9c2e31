import { describe, expect, it } from 'vitest';
import { checkSizeBudget, ensureFits } from './size-budget.ts';

const MIB = 2 ** 20;
const disk = { budgetMb: 100, warnPercent: 75, sizeMb: 400 };
const contributors = [
  { name: 'small', bytes: 5 },
  { name: 'kubelet', bytes: 60 * MIB },
  { name: 'linux-image', bytes: 30 * MIB },
  { name: 'libc6', bytes: 30 * MIB },
];

describe('checkSizeBudget', () => {
  it.each([
    [74, undefined],
    [
      75,
      "the image's content takes 75 MiB of 100 MiB (75 %); largest: kubelet 60 MiB, libc6 30 MiB, linux-image 30 MiB",
    ],
    [
      100,
      "the image's content takes 100 MiB of 100 MiB (100 %); largest: kubelet 60 MiB, libc6 30 MiB, linux-image 30 MiB",
    ],
  ])('returns the right warning for %i of 100 MiB', (mib, warning) => {
    expect(checkSizeBudget(mib * MIB, disk, contributors)).toBe(warning);
  });

  it('throws above the budget, with the largest parts', () => {
    expect(() => checkSizeBudget(100 * MIB + 1, disk, contributors)).toThrow(
      expect.objectContaining({
        code: 'image/over-budget',
        message: expect.stringMatching(
          /101 MiB of 100 MiB .*\n +largest: kubelet 60 MiB, libc6 30 MiB, linux-image 30 MiB, small 1 MiB$/,
        ),
      }),
    );
  });

  it('lets ensureFits throw if the packages alone do not fit on the disk', () => {
    expect(() => ensureFits(contributors, 121 * MIB)).not.toThrow();
    expect(() => ensureFits(contributors, 119 * MIB)).toThrow(
      expect.objectContaining({ code: 'image/disk-too-small', message: expect.stringContaining('kubelet 60 MiB') }),
    );
  });
});
