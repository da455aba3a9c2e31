import { describe, expect, it } from 'vitest';
import { aConfig } from '../document/configs.testing.ts';
import { assignmentOf, type NodeFolder } from './node-folder.testing.ts';
import {
  A,
  aNode,
  B,
  C,
  inService,
  kindAndCode,
  MINUTE_MS,
  ORDERED,
  UNORDERED,
  watch,
  withPods,
  withUpdate,
} from './store.testing.ts';
import { openNodeStore } from './store.ts';

describe('checkHealth', () => {
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
    ['kubelet sends no new heartbeat', () => {}, 'verify/node-not-ready'],
  ])('rolls back when %s, and does not retry the document without an order', async (_what, harm, code) => {
    const { node, store } = await inService();
    const before = node.snapshot();
    expect((await store.apply(B, UNORDERED)).kind).toBe('applied');
    expect(node.snapshot()).not.toEqual(before);
    harm(node);
    const outcome = await watch(node, store, 4, false);
    expect(kindAndCode(outcome)).toEqual(['reverted', code]);
    expect(node.snapshot()).toEqual(before);
    expect(outcome.slots.active?.hash).toBe(A.hash);
    expect(outcome.slots.bad.map((one) => [one.hash, one.code])).toEqual([[B.hash, code]]);

    node.ran.length = 0;
    expect(kindAndCode(await store.apply(B, UNORDERED))).toEqual(['refused', 'plan/known-bad']);
    expect(kindAndCode(await openNodeStore(node.deps()).apply(B, UNORDERED))).toEqual(['refused', 'plan/known-bad']);
    expect(node.ran).toEqual([]);
    expect(kindAndCode(await store.apply(C, UNORDERED))).toEqual(['applied', 'verify/running']);
    expect((await store.apply(B, ORDERED)).kind).toBe('applied');
    expect(store.slots().bad).toEqual([]);
  });

  it('rolls back when the API server is unreachable, but does not blame the document', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    await store.apply(B, UNORDERED);
    node.health.node = { isReachable: false };
    const outcome = await watch(node, store, 4, false);
    expect([...kindAndCode(outcome), outcome.slots.active?.hash]).toEqual([
      'reverted',
      'verify/api-unreachable',
      A.hash,
    ]);
    expect([node.snapshot(), outcome.slots.bad]).toEqual([before, []]);
    node.beat();
    expect(kindAndCode(await store.apply(B, UNORDERED))).toEqual(['applied', 'verify/running']);
  });

  it('rolls back a change made before kubelet started if the API server is silent for 15 minutes', async () => {
    const { node } = await inService();
    node.boot();
    const store = openNodeStore(node.deps());
    expect((await store.apply(B, UNORDERED)).kind).toBe('applied');
    node.beat();
    node.health.node = { isReachable: false };
    expect((await watch(node, store, 14, false)).kind).toBe('applied');
    const outcome = await watch(node, store, 1, false);
    expect([...kindAndCode(outcome), outcome.slots.active?.hash]).toEqual([
      'reverted',
      'verify/api-unreachable',
      A.hash,
    ]);
    expect(outcome.slots.bad).toEqual([]);
  });

  it('rolls back after three crashes in two minutes', async () => {
    const { node, store } = await inService();
    await store.apply(B, UNORDERED);
    for (let restarts = 0; restarts < 3; restarts++) {
      node.beat();
      node.health.units.set('kubelet.service', { state: 'active', restarts });
      expect((await store.check()).kind).toBe('applied');
      node.clock.advance(20_000);
    }
    node.health.units.set('kubelet.service', { state: 'active', restarts: 3 });
    expect(kindAndCode(await store.check())).toEqual(['reverted', 'verify/crash-loop']);
  });

  it('does not roll back for crashes spread over an hour', async () => {
    const { node, store } = await inService();
    await store.apply(B, UNORDERED);
    let outcome = await store.check();
    for (let restarts = 0; outcome.kind === 'applied'; restarts++) {
      node.clock.advance(MINUTE_MS);
      node.beat();
      node.health.units.set('kubelet.service', { state: 'active', restarts });
      outcome = await store.check();
    }
    expect(outcome.kind).toBe('verified');
  });

  it('does not roll back because the clock was set', async () => {
    const { node, store } = await inService();
    await store.apply(B, UNORDERED);
    await store.check();
    node.clock.advance(365 * 24 * 60 * MINUTE_MS);
    expect((await store.check()).kind).toBe('applied');
    node.clock.advance(-366 * 24 * 60 * MINUTE_MS);
    expect((await store.check()).kind).toBe('applied');
  });

  it('needs no new heartbeat for a change that does not restart kubelet', async () => {
    const { node, store } = await inService();
    const os = { ...aConfig().os, sysctls: { 'vm.max_map_count': '7' } };
    await store.apply(assignmentOf(withPods(110, 2, { os })), UNORDERED);
    expect((await watch(node, store, 6, false)).kind).toBe('verified');
  });

  it('does not roll back a node that was already not Ready before the change', async () => {
    const { node, store } = await inService();
    node.health.node = { isReachable: true, isReady: false, heartbeatMs: 9e15 };
    await store.apply(B, UNORDERED);
    expect(kindAndCode(await watch(node, store, 10, false))).toEqual(['applied', 'verify/node-not-ready']);
  });

  it('keeps watching when the API server was unreachable before and after the change', async () => {
    const { node, store } = await inService();
    node.health.node = { isReachable: false };
    await store.apply(B, UNORDERED);
    expect(kindAndCode(await watch(node, store, 10, false))).toEqual(['applied', 'verify/running']);
  });

  it('needs no Node on a node without a cluster', async () => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    await store.apply(assignmentOf({ cluster: undefined, join: undefined }), UNORDERED);
    node.beat();
    node.health.node = { isReachable: false };
    expect((await watch(node, store, 6, false)).kind).toBe('verified');
  });

  it('probes the configured healthz port, and skips the probe when healthz is disabled', async () => {
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

  it('does not require Ready when the document does not', async () => {
    const { node, store } = await inService();
    const { health } = aConfig().update;
    await store.apply(withUpdate(120, 2, { health: { ...health, requireNodeReady: false } }), UNORDERED);
    node.health.node = { isReachable: true, isReady: false, heartbeatMs: undefined };
    expect((await watch(node, store, 6, false)).kind).toBe('verified');
  });

  it('rolls back after an unexpected reboot', async () => {
    const { node, store } = await inService();
    await store.apply(B, UNORDERED);
    node.boot();
    const outcome = await openNodeStore(node.deps()).recover();
    expect(kindAndCode(outcome)).toEqual(['reverted', 'verify/unexpected-reboot']);
    expect(outcome.slots.active?.hash).toBe(A.hash);
    expect(kindAndCode(await openNodeStore(node.deps()).apply(B, UNORDERED))).toEqual(['refused', 'plan/known-bad']);
  });

  it('keeps a verified document after a reboot', async () => {
    const { node } = await inService();
    node.boot();
    expect(kindAndCode(await openNodeStore(node.deps()).recover())).toEqual(['unchanged', 'ok/applied']);
  });

  it('rolls back to the last known good, not to a generation that was never verified', async () => {
    const { node, store } = await inService();
    await store.apply(B, UNORDERED);
    await store.apply(C, UNORDERED);
    node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
    expect((await store.check()).slots.active?.hash).toBe(A.hash);
  });

  it('rolls back to the previous generation when none was verified, and watches that', async () => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    await store.apply(A, UNORDERED);
    node.join();
    await store.apply(B, UNORDERED);
    node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
    const outcome = await store.check();
    expect([outcome.kind, outcome.slots.active?.hash, outcome.slots.watch?.number]).toEqual(['reverted', A.hash, 1]);
    node.health.units.clear();
    expect((await watch(node, store, 6)).kind).toBe('verified');
  });

  it('keeps the first document although it is unhealthy, and can still verify it', async () => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    await store.apply(A, UNORDERED);
    expect(kindAndCode(await watch(node, store, 4, false))).toEqual(['failed', 'verify/unit-failed']);
    node.boot();
    expect((await openNodeStore(node.deps()).recover()).kind).toBe('unchanged');
    node.join();
    const later = openNodeStore(node.deps());
    expect(later.slots().bad).toEqual([]);
    expect((await watch(node, later, 6)).kind).toBe('verified');
  });
});
