// A donor that is off and on again before its cluster has noticed: the cluster goes on to say that it is Ready, and it is not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refused } from '../../base/failures.ts';
import { Dial, type Lab, lab } from '../testing.ts';
import { donorViolations, modelViolations, readDonorState } from './invariants.testing.ts';
import { isStaleStatus, stoppedChange } from './prior.ts';

const BOOT_MS = 30_000;

interface QuickLab extends Lab {
  /** When its node was put back in service. */
  restoredMs(): number;
  startedMs(): number;
}

/** Ready all the time, as far as the cluster tells; the boot is told apart only by its id. */
function quickLab(): QuickLab {
  const world = lab();
  const { cluster, factory, clock, donor } = world;
  const name = donor.computerName;
  let [startedMs, restoredMs, boots] = [0, 0, 1];
  cluster.touch(name, { bootId: 'boot-1' });
  factory.onPower = ({ power, computerName }) => {
    if (computerName !== name || power !== 'running') return;
    startedMs = clock.nowMs();
    boots++;
  };
  const { readNode, changeNode } = cluster;
  cluster.readNode = async (asked, signal) => {
    const node = cluster.nodes.get(name);
    const bootId = `boot-${boots}`;
    if (asked === name && node?.bootId !== bootId && clock.nowMs() - startedMs >= BOOT_MS)
      cluster.touch(name, { bootId });
    return readNode(asked, signal);
  };
  cluster.changeNode = async (node, change, signal) => {
    await changeNode(node, change, signal);
    if (change.isUnschedulable === false) restoredMs = clock.nowMs();
  };
  return { ...world, restoredMs: () => restoredMs, startedMs: () => startedMs };
}

describe('a donor that is off and on again before the cluster notices', () => {
  it('is back in service once it reports from its new boot, and not before', async () => {
    const world = quickLab();
    const found = readDonorState(world);
    await world.run();
    expect(world.startedMs()).toBeGreaterThan(0);
    expect(world.restoredMs() - world.startedMs()).toBeGreaterThanOrEqual(BOOT_MS);
    expect([...donorViolations(world, found), ...modelViolations(world)]).toEqual([]);
    const { annotations, bootId } = world.cluster.nodes.get(world.donor.computerName)!;
    expect(bootId).toBe('boot-2');
    expect(Object.keys(annotations).filter((key) => key.startsWith('headstart.dev/'))).toEqual([]);
  });

  it('is not waited for without an end when it was never stopped', async () => {
    const world = quickLab();
    const found = readDonorState(world);
    world.factory.pools.stop = async () => {
      throw new Refused('the cloud does not stop it', 'vms/refused');
    };
    const beganMs = world.clock.nowMs();
    await expect(world.run()).rejects.toThrow('does not stop it');
    expect(donorViolations(world, found)).toEqual([]);
    expect(world.clock.nowMs() - beganMs).toBeLessThan(10 * 60_000);
  });

  it('is home after a crash at any call and a resume', async () => {
    const clean = new Dial();
    await quickLab().run(clean);
    for (let at = 0; at < clean.calls; at++) {
      const world = quickLab();
      const found = readDonorState(world);
      const dial = new Dial('crash-after', at);
      await world.run(dial, 'first').catch((error: unknown) => {
        if (!dial.isDead) throw error;
      });
      world.clock.advance(16 * 60_000);
      await world.run(new Dial(), 'second');
      expect([...donorViolations(world, found), ...modelViolations(world)], `killed after call ${at}`).toEqual([]);
    }
  });
});

describe('what the cluster says of a donor', () => {
  const { cluster, donor } = lab();
  const node = cluster.nodes.get(donor.computerName)!;
  const marked = (bootId: string, atMs: number) => ({
    ...node,
    bootId,
    annotations: stoppedChange({ ...node, bootId }, atMs)!.annotations as Record<string, string>,
  });

  it('is old news from the boot that was ended, for as long as a cluster believes in a silent node', () => {
    expect(isStaleStatus(marked('a', 1000), 1000)).toBe(true);
    expect(isStaleStatus(marked('a', 1000), 60_000)).toBe(true);
    expect(isStaleStatus(marked('a', 1000), 242_000)).toBe(false);
    expect(isStaleStatus({ ...marked('a', 1000), bootId: 'b' }, 1000)).toBe(false);
    expect(stoppedChange(node, 1000)).toBeUndefined();
  });

  it('is true in the end, whatever is written on the node', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(), (text, bootId, nowMs) => {
        const odd = { ...node, bootId, annotations: { 'headstart.dev/prototype-stopped': text } };
        expect([nowMs, nowMs + 300_000].some((ms) => !isStaleStatus(odd, ms))).toBe(true);
      }),
    );
  });
});
