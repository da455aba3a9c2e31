// A donor that restarts before the cluster notices: the cluster still shows the node as Ready although it is not.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Refused } from '../../base/failures.ts';
import { Dial, type Lab, lab } from '../testing.ts';
import { donorViolations, modelViolations, readDonorState } from './invariants.testing.ts';
import { isStaleStatus, stoppedChange } from './prior.ts';

const BOOT_MS = 30_000;

interface QuickLab extends Lab {
  /** When the run returned its node to service. */
  restoredMs(): number;
  startedMs(): number;
}

/** The cluster shows the node as Ready all the time; only the boot id changes. */
function quickLab(): QuickLab {
  const world = lab();
  const { cluster, provider, clock, donor } = world;
  const name = donor.computerName;
  let [startedMs, restoredMs, boots] = [0, 0, 1];
  cluster.touch(name, { bootId: 'boot-1' });
  provider.onPower = ({ power, computerName }) => {
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

describe('a donor that restarts before the cluster notices', () => {
  it('returns to service only after it reports from its new boot', async () => {
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

  it('delays the run only for a limited time if it was never stopped', async () => {
    const world = quickLab();
    const found = readDonorState(world);
    world.provider.pools.stop = async () => {
      throw new Refused('the cloud does not stop it', 'vms/refused');
    };
    const beganMs = world.clock.nowMs();
    await expect(world.run()).rejects.toThrow('does not stop it');
    expect(donorViolations(world, found)).toEqual([]);
    expect(world.clock.nowMs() - beganMs).toBeLessThan(10 * 60_000);
  });

  it('is in service after a crash at any call and a resume', async () => {
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

describe('the status of a donor', () => {
  const { cluster, donor } = lab();
  const node = cluster.nodes.get(donor.computerName)!;
  const marked = (bootId: string, atMs: number) => ({
    ...node,
    bootId,
    annotations: stoppedChange({ ...node, bootId }, atMs)!.annotations as Record<string, string>,
  });

  it('is stale if it comes from the stopped boot, while the cluster may keep a silent node Ready', () => {
    expect(isStaleStatus(marked('a', 1000), 1000)).toBe(true);
    expect(isStaleStatus(marked('a', 1000), 60_000)).toBe(true);
    expect(isStaleStatus(marked('a', 1000), 242_000)).toBe(false);
    expect(isStaleStatus({ ...marked('a', 1000), bootId: 'b' }, 1000)).toBe(false);
    expect(stoppedChange(node, 1000)).toBeUndefined();
  });

  it('becomes current in the end with any annotation on the node', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.nat(), (text, bootId, nowMs) => {
        const odd = { ...node, bootId, annotations: { 'headstart.dev/prototype-stopped': text } };
        expect([nowMs, nowMs + 300_000].some((ms) => !isStaleStatus(odd, ms))).toBe(true);
      }),
    );
  });
});
