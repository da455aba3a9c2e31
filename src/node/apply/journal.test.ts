import { describe, expect, it } from 'vitest';
import { OWN_CONFIG_PATH } from '../desired/aspects/kubelet.ts';
import { aConfig, OTHER_PEM, PEM } from '../document/configs.testing.ts';
import type { NodeDisk } from './disk.ts';
import { STORE } from './folder.ts';
import { assignmentOf } from './node-folder.testing.ts';
import {
  A,
  aNode,
  B,
  BY_ITSELF,
  inService,
  MINUTE_MS,
  ORDERED,
  said,
  watch,
  withPods,
  withUpdate,
} from './store.testing.ts';
import { openNodeStore } from './store.ts';

describe('a change that cannot be made, or not kept', () => {
  it('brings down a unit, which runs again once it is taken back', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    node.failing.set('start containerd.service', 1);
    const outcome = await store.apply(
      assignmentOf(withPods(110, 2, { containerd: { registries: {}, runtimes: {}, sandboxImage: 'x' } })),
      BY_ITSELF,
    );
    expect(said(outcome)).toEqual(['reverted', 'verify/unit-failed']);
    expect(node.snapshot()).toEqual(before);
    expect(outcome.slots.bad).toHaveLength(1);
  });

  it('that cannot be taken back completely says so, and has put back all files', async () => {
    const { node, store } = await inService();
    const { files } = node.snapshot();
    node.failing.set('start kubelet.service', 9);
    const outcome = await store.apply(B, BY_ITSELF);
    expect(said(outcome)).toEqual(['failed', 'rollback/failed']);
    expect(outcome.reason).toContain('kubelet.service failed');
    expect(node.snapshot().files).toEqual(files);
    expect(outcome.slots.active?.hash).toBe(A.hash);
  });

  it('the kernel refuses is taken back', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    const disk = node.disk();
    const refusing = openNodeStore(
      node.deps({
        ...disk,
        setKernelValue(path, text) {
          if (text === 'nonsense') throw Object.assign(new Error('invalid argument'), { code: 'EINVAL' });
          disk.setKernelValue(path, text);
        },
      }),
    );
    const os = { ...aConfig().os, sysctls: { 'vm.max_map_count': 'nonsense' } };
    expect(said(await refusing.apply(assignmentOf(withPods(120, 2, { os })), BY_ITSELF))).toEqual([
      'reverted',
      'apply/setting-refused',
    ]);
    expect(node.snapshot()).toEqual(before);
    expect(store.slots().bad).toHaveLength(1);
  });

  it('of certificates that only a new node could take goes back all the same', async () => {
    const { node, store } = await inService();
    const cluster = { ...aConfig().cluster!, certificateAuthority: PEM + OTHER_PEM };
    const both = assignmentOf(withPods(110, 2, { cluster }));
    const other = assignmentOf(withPods(110, 3, { cluster: { ...cluster, certificateAuthority: OTHER_PEM } }));
    await store.apply(both, BY_ITSELF);
    await store.apply(other, BY_ITSELF);
    node.health.kubelet = false;
    const outcome = await watch(node, store, 4, false);
    expect(said(outcome)).toEqual(['reverted', 'verify/kubelet-unhealthy']);
    expect(node.text('/etc/kubernetes/pki/ca.crt')).toBe(PEM);
  });

  it('gives units back their state when they come back with it', async () => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    const unit = { content: '[Service]\nExecStart=/bin/a\n', dropIns: {}, isMasked: false };
    await store.apply(assignmentOf(withPods(110, 1, { units: { 'app.service': unit } })), BY_ITSELF);
    await node.run(['systemctl', 'start', '--', 'app.service']);
    node.join();
    await watch(node, store, 6);
    await store.apply(B, BY_ITSELF);
    expect(node.system.units['app.service']?.isActive).toBe(false);
    node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
    expect((await store.check()).kind).toBe('reverted');
    expect(node.system.units['app.service']?.isActive).toBe(true);
  });
});

describe('a change that drains or reboots', () => {
  const down = withUpdate(30, 2, { maxClass: 6 });
  const pages = assignmentOf(
    withPods(110, 2, {
      os: { ...aConfig().os, hugePages: { '2Mi': 4 } },
      update: { ...aConfig().update, maxClass: 6 },
    }),
  );

  it('drains, and lets pods come back', async () => {
    const { node, store } = await inService();
    expect((await store.apply(down, BY_ITSELF)).kind).toBe('applied');
    expect([node.drains, node.uncordons]).toEqual([1, 1]);
  });

  it('changes nothing when the node cannot be drained, and may be tried again', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    node.failing.set('drain', 1);
    const outcome = await store.apply(down, BY_ITSELF);
    expect(said(outcome)).toEqual(['reverted', 'apply/drain-failed']);
    expect(node.snapshot()).toEqual(before);
    expect([outcome.slots.bad, node.uncordons]).toEqual([[], 1]);
    expect((await store.apply(down, BY_ITSELF)).kind).toBe('applied');
  });

  it('leaves the generation on trial that runs, when the node cannot be drained for the next', async () => {
    const { node, store } = await inService();
    await store.apply(withUpdate(120, 2, { mode: 'try', tryForMs: 3 * MINUTE_MS }), BY_ITSELF);
    node.failing.set('drain', 1);
    expect(said(await store.apply(withUpdate(30, 3, { maxClass: 6 }), BY_ITSELF))).toEqual([
      'reverted',
      'apply/drain-failed',
    ]);
    expect(said(await watch(node, store, 6))).toEqual(['reverted', 'verify/not-kept']);
    expect(store.slots().active?.hash).toBe(A.hash);
  });

  it('owes the node its way back into service until somebody can be told', async () => {
    const { node, store } = await inService();
    node.failing.set('uncordon', 2);
    expect((await store.apply(down, BY_ITSELF)).kind).toBe('applied');
    expect(node.uncordons).toBe(0);
    node.beat();
    await store.check();
    expect(node.uncordons).toBe(0);
    await store.check();
    await store.check();
    expect(node.uncordons).toBe(1);
  });

  it('owes it also after it was taken back', async () => {
    const { node, store } = await inService();
    node.failing.set('uncordon', 2);
    await store.apply(down, BY_ITSELF);
    node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
    expect((await store.check()).kind).toBe('reverted');
    expect(node.uncordons).toBe(0);
    await store.apply(A, BY_ITSELF);
    await store.apply(A, BY_ITSELF);
    expect(node.uncordons).toBe(1);
  });

  it.each([
    ['kubelet crashes over and over', { units: new Map([['kubelet.service', { state: 'failed', restarts: 9 }]]) }],
    ['kubelet is not healthy', { kubelet: false }],
    ['the API server is not reached any more', { node: { isReachable: false } }],
    ['the node is not Ready', { node: { isReachable: true, isReady: false, heartbeatMs: 0 } }],
  ] as const)(
    'is not made to wait on the way back, when %s: pods of such a node cannot be moved',
    async (_, health) => {
      const { node, store } = await inService();
      expect((await store.apply(B, BY_ITSELF)).kind).toBe('applied'); // room for more pods, and so for less on the way back
      Object.assign(node.health, health);
      expect((await watch(node, store, 6, false)).kind).toBe('reverted');
      expect([node.drains, store.slots().active?.hash]).toEqual([0, A.hash]);
    },
  );

  it('is not made to wait for a kubelet that crashes when a person goes back, either', async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    expect((await watch(node, store, 6)).kind).toBe('verified');
    node.health.units.set('kubelet.service', { state: 'starting', restarts: 9 });
    expect((await store.apply(A, ORDERED)).kind).toBe('applied');
    expect([node.drains, store.slots().active?.hash]).toEqual([0, A.hash]);
  });

  it('owes the node its way back into service also when what it repaired could not be put right', async () => {
    const { node, store } = await inService();
    await store.apply(down, BY_ITSELF);
    expect((await watch(node, store, 6)).kind).toBe('verified');
    node.put(OWN_CONFIG_PATH, '{}');
    node.failing.set('start kubelet.service', 1);
    expect((await store.apply(down, ORDERED)).kind).toBe('failed');
    expect([node.drains, node.uncordons]).toEqual([2, 2]);
  });

  it('drains on the way back, too, when the node is well', async () => {
    const { node, store } = await inService();
    await store.apply(withUpdate(120, 2, { mode: 'try', tryForMs: MINUTE_MS }), BY_ITSELF);
    expect(said(await watch(node, store, 4))).toEqual(['reverted', 'verify/not-kept']);
    expect([node.drains, node.uncordons]).toEqual([1, 1]);
  });

  it('reboots once, and is finished in the boot after it', async () => {
    const { node, store } = await inService();
    const outcome = await store.apply(pages, BY_ITSELF);
    expect(said(outcome)).toEqual(['waiting', 'apply/running']);
    expect([node.reboots, store.slots().active?.hash]).toEqual([1, A.hash]);
    // The daemon starts once more before the machine goes down.
    expect((await openNodeStore(node.deps()).recover()).kind).toBe('waiting');
    expect(node.reboots).toBe(2);
    node.boot();
    const after = openNodeStore(node.deps());
    expect(said(await after.recover())).toEqual(['applied', 'apply/interrupted']);
    expect([node.reboots, node.uncordons, after.slots().active?.hash]).toEqual([2, 0, pages.hash]);
    await after.check();
    expect(node.uncordons).toBe(0);
    node.join();
    expect((await watch(node, after, 6)).kind).toBe('verified');
    expect(node.uncordons).toBe(1);
  });

  it('that ends the machine each time it is made is given up', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    const { disk, ...deps } = node.deps();
    const deadly: NodeDisk = {
      ...disk,
      rename(from, to) {
        if (!to.startsWith(STORE)) throw new Error('gone');
        disk.rename(from, to);
      },
    };
    const dying = openNodeStore({ ...deps, disk: deadly });
    await expect(dying.apply(B, BY_ITSELF)).rejects.toThrow('gone');
    for (let i = 0; i < 2; i++) await expect(dying.recover()).rejects.toThrow('gone');
    const outcome = await store.recover();
    expect([...said(outcome), outcome.slots.active?.hash]).toEqual(['reverted', 'apply/interrupted', A.hash]);
    expect(node.snapshot()).toEqual(before);
    expect(said(await store.apply(B, BY_ITSELF))).toEqual(['refused', 'plan/known-bad']);
  });
});
