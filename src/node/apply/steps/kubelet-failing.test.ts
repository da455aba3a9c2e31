import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../../base/fake-clock.ts';
import type { ApplyDeps, UnitHealth } from '../contract.ts';
import { isKubeletFailing } from './kubelet-failing.ts';

/** What systemd says of it, look by look; the last from then on. */
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

describe('kubelet', () => {
  it('that runs, and has not been started again meanwhile, does not fail', async () => {
    expect(await asked(active(7))).toEqual({ isFailing: false, afterMs: 6_000 });
  });

  it('that was just started has time to settle', async () => {
    expect(await asked(starting(0), starting(0), active(1))).toEqual({ isFailing: false, afterMs: 12_000 });
  });

  it.each([
    ['that somebody has stopped', { state: 'inactive', restarts: 0 }],
    ['that is not there', { state: 'absent', restarts: 0 }],
    ['of which nothing is known', undefined],
  ] as const)('%s does not fail', async (_, seen) => {
    expect(await asked(seen)).toEqual({ isFailing: false, afterMs: 0 });
  });

  it('that systemd has given up fails', async () => {
    expect(await asked({ state: 'failed', restarts: 5 })).toEqual({ isFailing: true, afterMs: 0 });
  });

  it.each([
    ['is between two starts whenever somebody looks', forEver(starting)],
    ['runs whenever somebody looks, each time anew', forEver(active)],
    ['runs for two looks each time', forEver((at) => active(Math.floor(at / 2)))],
  ])('that %s fails', async (_, looks) => {
    expect(await asked(...looks)).toEqual({ isFailing: true, afterMs: 33_000 });
  });
});
