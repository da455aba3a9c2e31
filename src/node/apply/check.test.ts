import { describe, expect, it } from 'vitest';
import { aConfig } from '../document/configs.testing.ts';
import { assignmentOf, type NodeFolder } from './node-folder.testing.ts';
import {
  A,
  aNode,
  B,
  BY_ITSELF,
  C,
  inService,
  MINUTE_MS,
  ORDERED,
  said,
  watch,
  withPods,
  withUpdate,
} from './store.testing.ts';
import { openNodeStore } from './store.ts';

describe('a change', () => {
  it.each<[string, (node: NodeFolder) => void, string]>([
    [
      'kubelet fails',
      (node) => node.health.units.set('kubelet.service', { state: 'failed', restarts: 5 }),
      'verify/unit-failed',
    ],
    [
      'kubelet does not come up',
      (node) => node.health.units.set('kubelet.service', { state: 'starting', restarts: 0 }),
      'verify/unit-failed',
    ],
    ['kubelet is not healthy', (node) => Object.assign(node.health, { kubelet: false }), 'verify/kubelet-unhealthy'],
    ['containerd is silent', (node) => Object.assign(node.health, { runtime: false }), 'verify/runtime-silent'],
    [
      'the node is not Ready',
      (node) => Object.assign(node.health, { node: { isReachable: true, isReady: false, heartbeatMs: 9e15 } }),
      'verify/node-not-ready',
    ],
    ['kubelet says nothing new', () => {}, 'verify/node-not-ready'],
  ])('is taken back when %s, and never tried again by itself', async (_what, harm, code) => {
    const { node, store } = await inService();
    const before = node.snapshot();
    expect((await store.apply(B, BY_ITSELF)).kind).toBe('applied');
    expect(node.snapshot()).not.toEqual(before);
    harm(node);
    const outcome = await watch(node, store, 4, false);
    expect(said(outcome)).toEqual(['reverted', code]);
    expect(node.snapshot()).toEqual(before);
    expect(outcome.slots.active?.hash).toBe(A.hash);
    expect(outcome.slots.bad.map((one) => [one.hash, one.code])).toEqual([[B.hash, code]]);

    node.ran.length = 0;
    expect(said(await store.apply(B, BY_ITSELF))).toEqual(['refused', 'plan/known-bad']);
    expect(said(await openNodeStore(node.deps()).apply(B, BY_ITSELF))).toEqual(['refused', 'plan/known-bad']);
    expect(node.ran).toEqual([]);
    expect(said(await store.apply(C, BY_ITSELF))).toEqual(['applied', 'verify/running']);
    expect((await store.apply(B, ORDERED)).kind).toBe('applied');
    expect(store.slots().bad).toEqual([]);
  });

  it('is taken back when the API server is gone, and may be tried again: it may be gone for all', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    await store.apply(B, BY_ITSELF);
    node.health.node = { isReachable: false };
    const outcome = await watch(node, store, 4, false);
    expect([...said(outcome), outcome.slots.active?.hash]).toEqual(['reverted', 'verify/api-unreachable', A.hash]);
    expect([node.snapshot(), outcome.slots.bad]).toEqual([before, []]);
    node.beat();
    expect(said(await store.apply(B, BY_ITSELF))).toEqual(['applied', 'verify/running']);
  });

  it('that was made before kubelet started and cuts the node off is taken back after a quarter of an hour', async () => {
    const { node } = await inService();
    node.boot();
    const store = openNodeStore(node.deps());
    expect((await store.apply(B, BY_ITSELF)).kind).toBe('applied');
    node.beat();
    node.health.node = { isReachable: false };
    expect((await watch(node, store, 14, false)).kind).toBe('applied');
    const outcome = await watch(node, store, 1, false);
    expect([...said(outcome), outcome.slots.active?.hash]).toEqual(['reverted', 'verify/api-unreachable', A.hash]);
    expect(outcome.slots.bad).toEqual([]);
  });

  it('is taken back after three crashes in two minutes', async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    for (let restarts = 0; restarts < 3; restarts++) {
      node.beat();
      node.health.units.set('kubelet.service', { state: 'active', restarts });
      expect((await store.check()).kind).toBe('applied');
      node.clock.advance(20_000);
    }
    node.health.units.set('kubelet.service', { state: 'active', restarts: 3 });
    expect(said(await store.check())).toEqual(['reverted', 'verify/crash-loop']);
  });

  it('is not taken back for crashes of an hour', async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    let outcome = await store.check();
    for (let restarts = 0; outcome.kind === 'applied'; restarts++) {
      node.clock.advance(MINUTE_MS);
      node.beat();
      node.health.units.set('kubelet.service', { state: 'active', restarts });
      outcome = await store.check();
    }
    expect(outcome.kind).toBe('verified');
  });

  it('is not taken back because the clock was set', async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    await store.check();
    node.clock.advance(365 * 24 * 60 * MINUTE_MS);
    expect((await store.check()).kind).toBe('applied');
    node.clock.advance(-366 * 24 * 60 * MINUTE_MS);
    expect((await store.check()).kind).toBe('applied');
  });

  it('that kubelet does not restart for is good without a word of it', async () => {
    const { node, store } = await inService();
    const os = { ...aConfig().os, sysctls: { 'vm.max_map_count': '7' } };
    await store.apply(assignmentOf(withPods(110, 2, { os })), BY_ITSELF);
    expect((await watch(node, store, 6, false)).kind).toBe('verified');
  });

  it('of a node that was not Ready before is not taken back because it still is not', async () => {
    const { node, store } = await inService();
    node.health.node = { isReachable: true, isReady: false, heartbeatMs: 9e15 };
    await store.apply(B, BY_ITSELF);
    expect(said(await watch(node, store, 10, false))).toEqual(['applied', 'verify/node-not-ready']);
  });

  it('that nobody could judge, with no API server before or after, stays and is watched', async () => {
    const { node, store } = await inService();
    node.health.node = { isReachable: false };
    await store.apply(B, BY_ITSELF);
    expect(said(await watch(node, store, 10, false))).toEqual(['applied', 'verify/running']);
  });

  it('of a node without a cluster is good without a Node', async () => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    await store.apply(assignmentOf({ cluster: undefined, join: undefined }), BY_ITSELF);
    node.beat();
    node.health.node = { isReachable: false };
    expect((await watch(node, store, 6, false)).kind).toBe('verified');
  });

  it('asks kubelet where it was told to answer, and not at all where it was told not to', async () => {
    const { node } = await inService();
    const asked: (number | undefined)[] = [];
    const { probes, ...deps } = node.deps();
    const kubeletHealthz = async (port?: number) => asked.push(port) > 0;
    const store = openNodeStore({ ...deps, probes: { ...probes, kubeletHealthz } });
    for (const healthzPort of [10300, 0]) {
      const kubelet = { ...aConfig().kubelet, maxPods: 120, config: { healthzPort } };
      await store.apply(assignmentOf(withPods(110, 2, { kubelet })), ORDERED);
      await store.check();
    }
    expect(asked).toEqual([10300]);
  });

  it('is good without Ready where the document does not ask for it', async () => {
    const { node, store } = await inService();
    const { health } = aConfig().update;
    await store.apply(withUpdate(120, 2, { health: { ...health, requireNodeReady: false } }), BY_ITSELF);
    node.health.node = { isReachable: true, isReady: false, heartbeatMs: undefined };
    expect((await watch(node, store, 6, false)).kind).toBe('verified');
  });

  it('is taken back after a reboot that nobody asked for', async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    node.boot();
    const outcome = await openNodeStore(node.deps()).recover();
    expect(said(outcome)).toEqual(['reverted', 'verify/unexpected-reboot']);
    expect(outcome.slots.active?.hash).toBe(A.hash);
    expect(said(await openNodeStore(node.deps()).apply(B, BY_ITSELF))).toEqual(['refused', 'plan/known-bad']);
  });

  it('that was found good stays over a reboot', async () => {
    const { node } = await inService();
    node.boot();
    expect(said(await openNodeStore(node.deps()).recover())).toEqual(['unchanged', 'ok/applied']);
  });

  it('goes back to the last known good, not to one that was never found good', async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    await store.apply(C, BY_ITSELF);
    node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
    expect((await store.check()).slots.active?.hash).toBe(A.hash);
  });

  it('goes back to the one before when none was found good yet, and watches that', async () => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    await store.apply(A, BY_ITSELF);
    node.join();
    await store.apply(B, BY_ITSELF);
    node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
    const outcome = await store.check();
    expect([outcome.kind, outcome.slots.active?.hash, outcome.slots.watch?.number]).toEqual(['reverted', A.hash, 1]);
    node.health.units.clear();
    expect((await watch(node, store, 6)).kind).toBe('verified');
  });

  it('on the first boot stays, for there is nothing else to run, and may still become good', async () => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    await store.apply(A, BY_ITSELF);
    expect(said(await watch(node, store, 4, false))).toEqual(['failed', 'verify/unit-failed']);
    node.boot();
    expect((await openNodeStore(node.deps()).recover()).kind).toBe('unchanged');
    node.join();
    const later = openNodeStore(node.deps());
    expect(later.slots().bad).toEqual([]);
    expect((await watch(node, later, 6)).kind).toBe('verified');
  });
});
