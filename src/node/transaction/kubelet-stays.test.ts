import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import type { Edges, UnitHealth } from './contract.ts';
import { doesKubeletStay } from './kubelet-stays.ts';

/** What systemd says of it, look by look; the last from then on. */
async function asked(...looks: (UnitHealth | undefined)[]): Promise<{ stays: boolean; afterMs: number }> {
  const clock = fakeClock();
  const probes = {
    units: async () => {
      const seen = looks.length > 1 ? looks.shift() : looks[0];
      return new Map(seen && [['kubelet.service', seen]]);
    },
  } as unknown as Edges['probes'];
  const stays = await doesKubeletStay({ probes, clock });
  return { stays, afterMs: clock.sleptMs };
}

const active = (restarts: number): UnitHealth => ({ state: 'active', restarts });
const starting = (restarts: number): UnitHealth => ({ state: 'starting', restarts });
const forEver = (look: (at: number) => UnitHealth) => Array.from({ length: 100 }, (_, at) => look(at));

describe('kubelet', () => {
  it('that runs, and has not been started again meanwhile, stays', async () => {
    expect(await asked(active(7))).toEqual({ stays: true, afterMs: 6_000 });
  });

  it('that was just started has time to settle', async () => {
    expect(await asked(starting(0), starting(0), active(1))).toEqual({ stays: true, afterMs: 12_000 });
  });

  it.each([
    ['is not there', [undefined]],
    ['has failed', [{ state: 'failed', restarts: 5 }]],
    ['is between two starts whenever somebody looks', forEver(starting)],
    ['runs whenever somebody looks, each time anew', forEver(active)],
    ['runs for two looks each time', forEver((at) => active(Math.floor(at / 2)))],
  ] as const)('that %s does not stay', async (_, looks) => {
    expect(await asked(...looks)).toEqual({ stays: false, afterMs: 33_000 });
  });
});
