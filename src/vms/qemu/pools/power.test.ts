import { afterEach, describe, expect, it } from 'vitest';
import { type FakeClock, fakeClock } from '../../../base/fake-clock.ts';
import type { InstanceRef } from '../../pools.ts';
import type { QemuContext } from '../context.ts';
import { AgentRefused, type GuestAgent } from '../guest/guest-agent.ts';
import type { Machines } from '../machine/machines.ts';
import { fakeMachines, type Lab, makeLab, poolSpec, publishEmpty, silentAgent } from '../testing.ts';

let lab: Lab & { clock: FakeClock };
afterEach(() => lab.end());

async function oneInstance(changes: Partial<QemuContext>): Promise<InstanceRef> {
  const clock = fakeClock();
  lab = { ...makeLab({ clock, stopGraceMs: 90_000, ...changes }), clock };
  const { ref } = await lab.provider.pools.createPool(poolSpec(await publishEmpty(lab)));
  return (await lab.provider.pools.setCapacity(ref, 1))[0]!.ref;
}

const powerOf = async (ref: InstanceRef) => (await lab.provider.pools.readInstance(ref))?.power;

/** A guest that powers off some polls after the agent's command or the power button. */
function politeGuest(how: { agent?: true; button?: true; afterLooks: number }) {
  const machines = fakeMachines();
  let isAsked = false;
  let looks = 0;
  const ask = () => {
    isAsked = true;
  };
  const watched: Machines & { ended: string[] } = {
    ...machines,
    state: async (machine) => {
      if (isAsked && ++looks > how.afterLooks) machines.states.clear();
      return machines.state(machine);
    },
    launch: (...given) => machines.launch(...given),
    pressPower: async () => {
      if (how.button) ask();
    },
    end: (machine) => machines.end(machine),
  };
  const agent: GuestAgent = how.agent ? { ...silentAgent, shutDown: async () => ask() } : silentAgent;
  return { machines: watched, agent };
}

describe('stop', () => {
  it.each([
    ['its agent', { agent: true as const, afterLooks: 3 }],
    ['the power button', { button: true as const, afterLooks: 20 }],
  ])('waits for a guest that reacts to %s, and does not terminate QEMU', async (_what, how) => {
    const guest = politeGuest(how);
    const ref = await oneInstance(guest);
    await lab.provider.pools.stop(ref);
    expect(await powerOf(ref)).toBe('stopped');
    expect(guest.machines.ended).toEqual([]);
  });

  it('presses the power button when the agent refuses', async () => {
    const guest = politeGuest({ button: true, afterLooks: 1 });
    const refusing = { ...silentAgent, shutDown: () => Promise.reject(new AgentRefused('guest-shutdown', 'no')) };
    const ref = await oneInstance({ ...guest, agent: refusing });
    await lab.provider.pools.stop(ref);
    expect(guest.machines.ended).toEqual([]);
  });

  it('terminates a guest that does not react in time, and reports that its disk is as after a power cut', async () => {
    const ref = await oneInstance({});
    const messages: string[] = [];
    await lab.provider.pools.stop(ref, { onWaiting: (what) => messages.push(what) });
    expect(await powerOf(ref)).toBe('stopped');
    expect(lab.machines.ended).toHaveLength(1);
    expect(messages.at(-1)).toMatch(/did not shut down within 90 s.*power cut/);
    expect(lab.clock.sleptMs).toBeGreaterThanOrEqual(90_000);
    expect(lab.clock.sleptMs).toBeLessThan(100_000);
  });

  it('leaves the guest alone when aborted', async () => {
    const stop = new AbortController();
    const ref = await oneInstance({});
    const stopping = lab.provider.pools.stop(ref, {
      signal: stop.signal,
      onWaiting: () => stop.abort(new Error('enough')),
    });
    await expect(stopping).rejects.toThrow('enough');
    expect(await powerOf(ref)).toBe('running');
  });

  it('leaves a deallocated instance deallocated', async () => {
    const ref = await oneInstance({ stopGraceMs: 0 });
    await lab.provider.pools.deallocate(ref);
    await lab.provider.pools.stop(ref);
    expect(await powerOf(ref)).toBe('deallocated');
  });
});

describe('start', () => {
  it('records its time on this machine’s clock, and the port that is forwarded to the guest', async () => {
    const ref = await oneInstance({ stopGraceMs: 0 });
    await lab.provider.pools.stop(ref);
    expect((await lab.provider.guests.readDetails(ref)).sshPort).toBeUndefined();
    lab.clock.advance(5000);
    const nowMs = lab.clock.nowMs();
    await lab.provider.pools.start(ref);
    expect(await lab.provider.guests.readDetails(ref)).toMatchObject({ startedMs: nowMs, sshPort: 2222 });
  });

  it('starts nothing twice', async () => {
    const ref = await oneInstance({});
    await Promise.all([lab.provider.pools.start(ref), lab.provider.pools.start(ref)]);
    expect(lab.machines.launched).toHaveLength(1);
  });

  it('reports a machine that QEMU paused as neither running nor stopped', async () => {
    const ref = await oneInstance({});
    for (const vmId of lab.machines.states.keys()) lab.machines.states.set(vmId, 'full');
    expect(await powerOf(ref)).toBe('unknown');
  });
});
