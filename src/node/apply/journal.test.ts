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

describe('a change that fails', () => {
  it('is rolled back, and the unit it stopped runs again', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    node.failing.set('start containerd.service', 1);
    const outcome = await store.apply(
      assignmentOf(withPods(110, 2, { containerd: { registries: {}, runtimes: {}, sandboxImage: 'x' } })),
      UNORDERED,
    );
    expect(kindAndCode(outcome)).toEqual(['reverted', 'verify/unit-failed']);
    expect(node.snapshot()).toEqual(before);
    expect(outcome.slots.bad).toHaveLength(1);
  });

  it('reports an incomplete rollback, which has still restored all files', async () => {
    const { node, store } = await inService();
    const { files } = node.snapshot();
    node.failing.set('start kubelet.service', 9);
    const outcome = await store.apply(B, UNORDERED);
    expect(kindAndCode(outcome)).toEqual(['failed', 'rollback/failed']);
    expect(outcome.reason).toContain('kubelet.service failed');
    expect(node.snapshot().files).toEqual(files);
    expect(outcome.slots.active?.hash).toBe(A.hash);
  });

  it('because the kernel rejects a setting is rolled back', async () => {
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
    expect(kindAndCode(await refusing.apply(assignmentOf(withPods(120, 2, { os })), UNORDERED))).toEqual([
      'reverted',
      'apply/setting-refused',
    ]);
    expect(node.snapshot()).toEqual(before);
    expect(store.slots().bad).toHaveLength(1);
  });

  it('is rolled back even if the rollback changes certificates that would otherwise require a new node', async () => {
    const { node, store } = await inService();
    const cluster = { ...aConfig().cluster!, certificateAuthority: PEM + OTHER_PEM };
    const both = assignmentOf(withPods(110, 2, { cluster }));
    const other = assignmentOf(withPods(110, 3, { cluster: { ...cluster, certificateAuthority: OTHER_PEM } }));
    await store.apply(both, UNORDERED);
    await store.apply(other, UNORDERED);
    node.health.kubelet = false;
    const outcome = await watch(node, store, 4, false);
    expect(kindAndCode(outcome)).toEqual(['reverted', 'verify/kubelet-unhealthy']);
    expect(node.text('/etc/kubernetes/pki/ca.crt')).toBe(PEM);
  });

  it('is rolled back with the unit file it removed, and the unit runs again', async () => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    const unit = { content: '[Service]\nExecStart=/bin/a\n', dropIns: {}, isMasked: false };
    await store.apply(assignmentOf(withPods(110, 1, { units: { 'app.service': unit } })), UNORDERED);
    await node.run(['systemctl', 'start', '--', 'app.service']);
    node.join();
    await watch(node, store, 6);
    await store.apply(B, UNORDERED);
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

  it('drains the node and uncordons it', async () => {
    const { node, store } = await inService();
    expect((await store.apply(down, UNORDERED)).kind).toBe('applied');
    expect([node.drains, node.uncordons]).toEqual([1, 1]);
  });

  it('changes nothing when the drain fails, and can be retried', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    node.failing.set('drain', 1);
    const outcome = await store.apply(down, UNORDERED);
    expect(kindAndCode(outcome)).toEqual(['reverted', 'apply/drain-failed']);
    expect(node.snapshot()).toEqual(before);
    expect([outcome.slots.bad, node.uncordons]).toEqual([[], 1]);
    expect((await store.apply(down, UNORDERED)).kind).toBe('applied');
  });

  it('leaves the active generation on trial when the drain for the next document fails', async () => {
    const { node, store } = await inService();
    await store.apply(withUpdate(120, 2, { mode: 'try', tryForMs: 3 * MINUTE_MS }), UNORDERED);
    node.failing.set('drain', 1);
    expect(kindAndCode(await store.apply(withUpdate(30, 3, { maxClass: 6 }), UNORDERED))).toEqual([
      'reverted',
      'apply/drain-failed',
    ]);
    expect(kindAndCode(await watch(node, store, 6))).toEqual(['reverted', 'verify/not-kept']);
    expect(store.slots().active?.hash).toBe(A.hash);
  });

  it('retries a failed uncordon at later checks', async () => {
    const { node, store } = await inService();
    node.failing.set('uncordon', 2);
    expect((await store.apply(down, UNORDERED)).kind).toBe('applied');
    expect(node.uncordons).toBe(0);
    node.beat();
    await store.check();
    expect(node.uncordons).toBe(0);
    await store.check();
    await store.check();
    expect(node.uncordons).toBe(1);
  });

  it('retries a failed uncordon also after a rollback', async () => {
    const { node, store } = await inService();
    node.failing.set('uncordon', 2);
    await store.apply(down, UNORDERED);
    node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
    expect((await store.check()).kind).toBe('reverted');
    expect(node.uncordons).toBe(0);
    await store.apply(A, UNORDERED);
    await store.apply(A, UNORDERED);
    expect(node.uncordons).toBe(1);
  });

  it.each([
    ['kubelet is in a crash loop', { units: new Map([['kubelet.service', { state: 'failed', restarts: 9 }]]) }],
    ['kubelet is not healthy', { kubelet: false }],
    ['the API server is unreachable', { node: { isReachable: false } }],
    ['the node is not Ready', { node: { isReachable: true, isReady: false, heartbeatMs: 0 } }],
  ] as const)('is rolled back without a drain when %s, because no pod could be moved', async (_, health) => {
    const { node, store } = await inService();
    expect((await store.apply(B, UNORDERED)).kind).toBe('applied'); // raises maxPods, so the rollback lowers it and would drain
    Object.assign(node.health, health);
    expect((await watch(node, store, 6, false)).kind).toBe('reverted');
    expect([node.drains, store.slots().active?.hash]).toEqual([0, A.hash]);
  });

  it('does not drain a node with a failing kubelet for an ordered rollback, either', async () => {
    const { node, store } = await inService();
    await store.apply(B, UNORDERED);
    expect((await watch(node, store, 6)).kind).toBe('verified');
    node.health.units.set('kubelet.service', { state: 'starting', restarts: 9 });
    expect((await store.apply(A, ORDERED)).kind).toBe('applied');
    expect([node.drains, store.slots().active?.hash]).toEqual([0, A.hash]);
  });

  it('uncordons the node also after a failed repair', async () => {
    const { node, store } = await inService();
    await store.apply(down, UNORDERED);
    expect((await watch(node, store, 6)).kind).toBe('verified');
    node.put(OWN_CONFIG_PATH, '{}');
    node.failing.set('start kubelet.service', 1);
    expect((await store.apply(down, ORDERED)).kind).toBe('failed');
    expect([node.drains, node.uncordons]).toEqual([2, 2]);
  });

  it('drains a healthy node for the rollback, too', async () => {
    const { node, store } = await inService();
    await store.apply(withUpdate(120, 2, { mode: 'try', tryForMs: MINUTE_MS }), UNORDERED);
    expect(kindAndCode(await watch(node, store, 4))).toEqual(['reverted', 'verify/not-kept']);
    expect([node.drains, node.uncordons]).toEqual([1, 1]);
  });

  it('reboots once and is finished in the next boot', async () => {
    const { node, store } = await inService();
    const outcome = await store.apply(pages, UNORDERED);
    expect(kindAndCode(outcome)).toEqual(['waiting', 'apply/running']);
    expect([node.reboots, store.slots().active?.hash]).toEqual([1, A.hash]);
    // The daemon restarts before the machine goes down.
    expect((await openNodeStore(node.deps()).recover()).kind).toBe('waiting');
    expect(node.reboots).toBe(2);
    node.boot();
    const after = openNodeStore(node.deps());
    expect(kindAndCode(await after.recover())).toEqual(['applied', 'apply/interrupted']);
    expect([node.reboots, node.uncordons, after.slots().active?.hash]).toEqual([2, 0, pages.hash]);
    await after.check();
    expect(node.uncordons).toBe(0);
    node.join();
    expect((await watch(node, after, 6)).kind).toBe('verified');
    expect(node.uncordons).toBe(1);
  });

  it('is rolled back after three attempts that crashed the machine', async () => {
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
    await expect(dying.apply(B, UNORDERED)).rejects.toThrow('gone');
    for (let i = 0; i < 2; i++) await expect(dying.recover()).rejects.toThrow('gone');
    const outcome = await store.recover();
    expect([...kindAndCode(outcome), outcome.slots.active?.hash]).toEqual(['reverted', 'apply/interrupted', A.hash]);
    expect(node.snapshot()).toEqual(before);
    expect(kindAndCode(await store.apply(B, UNORDERED))).toEqual(['refused', 'plan/known-bad']);
  });
});
