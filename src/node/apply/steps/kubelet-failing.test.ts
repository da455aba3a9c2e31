import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../base/fake-clock.ts';
import type { ApplyDeps, UnitHealth } from '../contract.ts';
import { isKubeletFailing } from './kubelet-failing.ts';

/** The states that systemd reports, one for each check; the last one repeats. */
async function asked(...looks: (UnitHealth | undefined)[]): Promise<{ isFailing: boolean; afterMs: number }> {
  const clock = fakeClock();
  const probes = {
    units: async () => {
      const seen = looks.length > 1 ? looks.shift() : looks[0];
      return new Map(seen && [['kubelet.service', seen]]);
    },
  } as unknown as ApplyDeps['probes'];
  const isFailing = await isKubeletFailing({ probes, clock });
  return { isFailing, afterMs: clock.sleptMs };
}

const active = (restarts: number): UnitHealth => ({ state: 'active', restarts });
const starting = (restarts: number): UnitHealth => ({ state: 'starting', restarts });
const forEver = (look: (at: number) => UnitHealth) => Array.from({ length: 100 }, (_, at) => look(at));

describe('isKubeletFailing', () => {
  it('is false if kubelet runs without another restart', async () => {
    expect(await asked(active(7))).toEqual({ isFailing: false, afterMs: 6_000 });
  });

  it('gives a kubelet that was just started time to become stable', async () => {
    expect(await asked(starting(0), starting(0), active(1))).toEqual({ isFailing: false, afterMs: 12_000 });
  });

  it.each([
    ['that is stopped', { state: 'inactive', restarts: 0 }],
    ['that does not exist', { state: 'absent', restarts: 0 }],
    ['with an unknown state', undefined],
  ] as const)('is false for a kubelet %s', async (_, seen) => {
    expect(await asked(seen)).toEqual({ isFailing: false, afterMs: 0 });
  });

  it('is true for a kubelet in the failed state', async () => {
    expect(await asked({ state: 'failed', restarts: 5 })).toEqual({ isFailing: true, afterMs: 0 });
  });

  it.each([
    ['is starting at every check', forEver(starting)],
    ['has restarted at every check', forEver(active)],
    ['restarts after every two checks', forEver((at) => active(Math.floor(at / 2)))],
  ])('is true for a kubelet that %s', async (_, looks) => {
    expect(await asked(...looks)).toEqual({ isFailing: true, afterMs: 33_000 });
  });
});
