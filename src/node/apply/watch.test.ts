import { describe, expect, it } from 'vitest';
import type { ObservedState, PlanStep } from '../desired/tree.ts';
import { anObservation, aPlan, aUnit } from '../plan/plans.testing.ts';
import { startWatch, type WatchContext, watchFor } from './watch.ts';

const CONTEXT: WatchContext = {
  number: 2,
  nowMs: 1000,
  bootId: 'b',
  before: undefined,
  backTo: 1,
  isBackGood: true,
  update: { mode: 'auto', tryForMs: 60_000 },
};
const watch = (steps: PlanStep[], observed: Partial<ObservedState> = {}, context: Partial<WatchContext> = {}) =>
  watchFor(aPlan({ steps }), anObservation(observed), { ...CONTEXT, ...context });

describe('watchFor', () => {
  const units = new Map([
    ['kubelet.service', aUnit(true)],
    ['containerd.service', aUnit(true)],
    ['app.service', aUnit(false)],
  ]);

  it('watches kubelet, containerd and every unit that the change starts, restarts or reloads', () => {
    const steps: PlanStep[] = [
      { do: 'restart-unit', unit: 'app.service' },
      { do: 'set', kind: 'unit-active', key: 'b.timer', value: 'yes' },
      { do: 'restart-unit', unit: 'template@.service' },
    ];
    expect(watch(steps, { units }).units).toEqual(['app.service', 'b.timer', 'containerd.service', 'kubelet.service']);
  });

  it('does not watch a unit that the change stops or masks', () => {
    const steps: PlanStep[] = [
      { do: 'restart-unit', unit: 'app.service' },
      { do: 'make-link', path: '/etc/systemd/system/app.service', target: '/dev/null' },
      { do: 'set', kind: 'unit-active', key: 'containerd.service', value: 'no' },
    ];
    expect(watch(steps, { units }).units).toEqual(['kubelet.service']);
  });

  it('does not watch a kubelet that is masked, or that did not run before on a node in service', () => {
    const masked = new Map([['kubelet.service', aUnit(false, true)]]);
    const down = new Map([['kubelet.service', aUnit(false)]]);
    expect(watch([], { units: masked }).units).toEqual([]);
    expect(watch([], { units: down }).units).toEqual([]);
    expect(watch([], { units: down, kubeletPhase: 'not-started' }).units).toEqual(['kubelet.service']);
  });

  it('records the running units and the health of the Node before the change', () => {
    const before = { isReachable: true, isReady: false, heartbeatMs: 1 } as const;
    expect(watch([], { units }, { before })).toMatchObject({
      ranBefore: ['kubelet.service', 'containerd.service'],
      wasApiReachable: true,
      wasNotReady: true,
    });
  });

  it('expects an API server that was not probed only after a verified generation with a credential', () => {
    const expects = (isBackGood: boolean, hasCredential: boolean) =>
      watch([], { hasCredential }, { isBackGood }).wasApiReachableEarlier === true;
    expect([expects(true, true), expects(false, true), expects(true, false)]).toEqual([true, false, false]);
  });

  it('starts a trial only with mode try, and has no generation to roll back to on a first boot', () => {
    expect(watch([], {}, { update: { mode: 'try', tryForMs: 60_000 } }).keepByMs).toBe(61_000);
    const first = watch([], {}, { backTo: undefined });
    expect([first.keepByMs, 'backTo' in first]).toEqual([undefined, false]);
  });
});

describe('startWatch', () => {
  it('starts when the last step ends, and a trial then lasts as long as the document says', () => {
    const trial = watch([], {}, { update: { mode: 'try', tryForMs: 60_000 } });
    const started = startWatch(trial, { nowMs: 5000, bootId: 'later', kubeletSinceMs: 4000 });
    expect(started).toMatchObject({ sinceMs: 5000, bootId: 'later', kubeletSinceMs: 4000, keepByMs: 65_000 });
    expect(startWatch(watch([]), { nowMs: 5000, bootId: 'b', kubeletSinceMs: undefined }).keepByMs).toBeUndefined();
  });
});
