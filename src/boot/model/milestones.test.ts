import { describe, expect, it } from 'vitest';
import { bootRecord, managerTimes, unit } from '../testing.ts';
import { milestonesOf } from './milestones.ts';

describe('milestonesOf', () => {
  it('prefers a stated milestone over a derived one, and uses the earlier of two cloud-init units', () => {
    const record = bootRecord({
      units: [
        unit('cloud-init-main.service', 3, 1),
        unit('cloud-init-local.service', 5, 1),
        unit('kubelet.service', 9, 1),
      ],
      milestones: [{ name: 'kubelet-started', atUs: 9_500_000, source: 'kubelet' }],
    });
    expect(milestonesOf(record)).toMatchObject([
      { name: 'kernel-start', atUs: 0 },
      { name: 'cloud-init-activated', atUs: 3e6 },
      { name: 'kubelet-started', atUs: 9_500_000 },
    ]);
  });

  it('prefers a derived milestone over an imprecise stated one', () => {
    const record = bootRecord({
      units: [unit('kubelet.service', 9, 1)],
      milestones: [{ name: 'kubelet-started', atUs: 9_500_000, source: 'cluster', errorUs: 1e6 }],
    });
    expect(milestonesOf(record)).toContainEqual(expect.objectContaining({ name: 'kubelet-started', atUs: 10e6 }));
  });

  it('derives userspace and the end of startup from the manager', () => {
    const names = (finishUs: number) =>
      milestonesOf(bootRecord({ manager: managerTimes({ userspaceUs: 2e6, finishUs }) })).map(({ name }) => name);
    expect(names(40e6)).toEqual(['kernel-start', 'userspace', 'startup-finished']);
    expect(names(0)).toEqual(['kernel-start', 'userspace']);
  });

  it('has no kernel start on a clock that begins in userspace, and no start on a clock of logs only', () => {
    const names = (zero: 'userspace' | 'first-event') =>
      milestonesOf(bootRecord({ clock: { zero } })).map(({ name }) => name);
    expect(names('userspace')).toEqual(['userspace']);
    expect(names('first-event')).toEqual([]);
  });
});
