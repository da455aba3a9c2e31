import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BOOTSTRAP_PATH } from '../desired/aspects/join.ts';
import { anyConfig } from '../document/configs.testing.ts';
import { watchedDisk } from './disks.testing.ts';
import { STORE } from './folder.ts';
import { assignmentOf, NodeFolder } from './node-folder.testing.ts';
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

describe('apply', () => {
  it('makes a document of the first boot the last known good after five healthy minutes', async () => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    expect(kindAndCode(await store.apply(A, UNORDERED))).toEqual(['applied', 'verify/running']);
    expect(node.ran).toEqual(['systemctl daemon-reload', 'nft']);
    expect(kindAndCode(await store.check())).toEqual(['applied', 'verify/unit-failed']);
    expect(store.slots().lastKnownGood).toBeUndefined();
    node.join();
    expect(kindAndCode(await watch(node, store, 4))).toEqual(['applied', 'verify/running']);
    expect(kindAndCode(await watch(node, store, 1))).toEqual(['verified', 'ok/applied']);
    const { active, lastKnownGood, watch: watched, assigned } = store.slots();
    expect([active?.number, lastKnownGood?.number, assigned?.number, watched]).toEqual([1, 1, 1, undefined]);
    expect(kindAndCode(await store.check())).toEqual(['unchanged', 'ok/applied']);
  });

  it('writes and runs nothing when it applies the same document twice', async () => {
    const { node } = await inService();
    const before = node.snapshot();
    const writes: string[] = [];
    const store = openNodeStore(node.deps(watchedDisk(node.disk(), (op, path) => writes.push(`${op} ${path}`))));
    expect(kindAndCode(await store.recover())).toEqual(['unchanged', 'ok/applied']);
    expect(kindAndCode(await store.apply(A, UNORDERED))).toEqual(['unchanged', 'ok/nothing-to-do']);
    expect(kindAndCode(await store.check())).toEqual(['unchanged', 'ok/applied']);
    expect([writes, node.ran]).toEqual([[], []]);
    expect(node.snapshot()).toEqual(before);
  });

  it('executes exactly the plan that it reported', async () => {
    const { node, store } = await inService();
    const { plan, verdict } = await store.plan(B, UNORDERED);
    expect(verdict.decision).toBe('go');
    const writes = new Set<string>();
    const watching = openNodeStore(
      node.deps(watchedDisk(node.disk(), (op, path) => op === 'rename' && !path.startsWith(STORE) && writes.add(path))),
    );
    const outcome = await watching.apply(B, UNORDERED);
    expect(outcome.plan).toEqual(plan);
    const planned = plan.steps.flatMap((step) => (step.do === 'write-file' ? [step.path] : []));
    expect([...writes]).toEqual(planned);
    const restarts = plan.steps.flatMap((step) =>
      step.do === 'restart-unit' ? [`systemctl restart ${step.unit}`] : [],
    );
    expect(node.ran).toEqual(restarts);
    expect(outcome.timings.map(({ name }) => name)).toEqual([
      'observe',
      'journal',
      'stage',
      'write-files',
      'restart kubelet.service',
      'commit',
    ]);
  });

  it.each([
    ['A', A, B],
    ['B', B, C],
  ])('restores document %s byte for byte after another document', async (_what, first, second) => {
    const { node, store } = await inService();
    await store.apply(first, ORDERED);
    const before = node.snapshot();
    await store.apply(second, ORDERED);
    expect(node.snapshot()).not.toEqual(before);
    await store.apply(first, ORDERED);
    expect(node.snapshot()).toEqual(before);
  });

  it('activates a document that changes nothing without a restart, and keeps a verified state verified', async () => {
    const { node, store } = await inService();
    const same = assignmentOf(withPods(110, 7));
    expect(kindAndCode(await store.apply(same, UNORDERED))).toEqual(['unchanged', 'ok/nothing-to-do']);
    expect(node.ran).toEqual([]);
    const { active, lastKnownGood } = store.slots();
    expect([active?.generation, lastKnownGood?.generation]).toEqual([7, 7]);
    expect(store.active()?.config.generation).toBe(7);
  });

  it('saves the document with its facts, so that the node can start without the metadata service', async () => {
    const { node } = await inService();
    const kept = openNodeStore(node.deps()).active();
    const { document, config, ...rest } = A;
    expect(kept).toMatchObject(rest);
    expect(Buffer.from(kept!.document).equals(document)).toBe(true);
    expect(kept?.config.generation).toBe(config.generation);
    expect(kindAndCode(await openNodeStore(node.deps()).apply(kept!, UNORDERED))).toEqual([
      'unchanged',
      'ok/nothing-to-do',
    ]);
  });

  it('saves new facts about the instance, even when nothing else has changed', async () => {
    const { node, store } = await inService();
    const instance = { ...A.facts.instance, tags: { team: 'payments' }, addresses: ['10.0.0.5'] };
    const moved = { ...A, facts: { ...A.facts, instance } };
    await store.apply(moved, ORDERED);
    expect(store.active()?.facts.instance).toEqual(instance);
    expect(node.text('/etc/default/kubelet')).toContain('--node-ip=10.0.0.5');
    const tagged = { ...moved, facts: { ...A.facts, instance: { ...instance, tags: {} } } };
    expect((await store.apply(tagged, UNORDERED)).kind).toBe('unchanged');
    expect(store.active()?.facts.instance.tags).toEqual({});
    expect(store.listGenerations()).toHaveLength(1);
  });

  it('does not read the Node before kubelet starts, and later only for labels and taints', async () => {
    const node = aNode();
    let asked = 0;
    const { node: hooks, ...deps } = node.deps();
    const seen = async () => {
      asked++;
      return { labels: new Map(), taints: new Map() };
    };
    const store = openNodeStore({ ...deps, node: { ...hooks, seen } });
    const labelled = assignmentOf(withPods(110, 2, { labels: { tier: 'a' } }));
    await store.apply(labelled, UNORDERED);
    expect(asked).toBe(0);
    node.join();
    await store.apply(labelled, UNORDERED);
    expect([asked, node.labels.get('tier')]).toEqual([1, 'a']);
    await store.apply(A, UNORDERED);
    expect(asked).toBe(2); // the label is removed
    await store.apply(A, UNORDERED);
    expect(asked).toBe(2);
  });

  it('changes nothing when it is aborted before the first step', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(store.apply(B, { isOrdered: true, signal })).rejects.toThrow('stop');
    expect(node.snapshot()).toEqual(before);
    expect((await store.apply(B, ORDERED)).kind).toBe('applied');
  });

  it('returns any node to the same state after any other document', async () => {
    const rooted = anyConfig.map((config) => {
      const files = Object.entries(config.files).map(([path, file]) => [
        path,
        { ...file, owner: 'root', group: 'root' },
      ]);
      return assignmentOf({ ...config, files: Object.fromEntries(files) });
    });
    await fc.assert(
      fc.asyncProperty(rooted, rooted, async (first, second) => {
        const node = new NodeFolder();
        try {
          const store = openNodeStore(node.deps());
          await store.apply(first, ORDERED);
          const before = node.snapshot();
          const { plan } = await store.plan(second, ORDERED);
          const outcome = await store.apply(second, ORDERED);
          expect(outcome.plan).toEqual(plan);
          const back = await store.apply(first, ORDERED);
          expect(back.reason).toBeDefined();
          const { running: _, ...files } = node.snapshot();
          const { running: __, ...was } = before;
          expect(withoutModules(files)).toEqual(withoutModules(was));
          const again = await store.apply(first, ORDERED);
          expect(again.plan?.changes, back.reason).toEqual([]);
        } finally {
          node.remove();
        }
      }),
      { numRuns: process.env.HEADSTART_CAMPAIGN === 'full' ? 500 : 20 },
    );
  });
});

/** Loaded modules are never unloaded. */
function withoutModules({ files, rules }: { files: [string, string][]; rules: string | null }): unknown {
  return { rules, files: files.filter(([path]) => path !== '/proc/modules') };
}

describe('apply without an order', () => {
  it.each([
    ['a change more disruptive than allowed', withUpdate(30, 2, {}), 'blocked', 'plan/blocked-by-class'],
    ['a change with mode manual', withUpdate(120, 2, { mode: 'manual' }), 'waiting', 'plan/manual'],
    ['a change with mode staged', withUpdate(120, 2, { mode: 'staged' }), 'waiting', 'plan/staged'],
  ])('does not make %s, but records it and makes it when ordered', async (_what, to, kind, code) => {
    const { node, store } = await inService();
    const before = node.snapshot();
    expect(kindAndCode(await store.apply(to, UNORDERED))).toEqual([kind, code]);
    expect(node.snapshot()).toEqual(before);
    expect(store.slots()).toMatchObject({ assigned: { hash: to.hash, number: 0 }, active: { hash: A.hash } });
    expect((await store.apply(to, ORDERED)).kind).toBe('applied');
  });

  it('reports taints as a change for the control plane, and makes the rest', async () => {
    const { node, store } = await inService();
    node.seen = { labels: new Map(), taints: new Map() };
    const to = assignmentOf(withPods(110, 2, { taints: [{ key: 'dedicated', value: 'a', effect: 'NoSchedule' }] }));
    expect((await store.apply(to, UNORDERED)).kind).toBe('applied');
    expect(kindAndCode(await store.apply(to, UNORDERED))).toEqual(['blocked', 'plan/needs-control-plane']);
    expect(store.slots().active?.hash).toBe(to.hash);
  });

  it('rolls back a document on trial unless it is confirmed', async () => {
    const { node, store } = await inService();
    const trial = withUpdate(120, 2, { mode: 'try', tryForMs: 3 * MINUTE_MS });
    await store.apply(trial, UNORDERED);
    expect(kindAndCode(await watch(node, store, 4))).toEqual(['reverted', 'verify/not-kept']);
    expect(kindAndCode(await store.apply(trial, UNORDERED))).toEqual(['refused', 'plan/known-bad']);

    await store.apply(trial, ORDERED);
    expect((await store.keep()).kind).toBe('applied');
    expect((await watch(node, store, 6)).kind).toBe('verified');
    expect((await store.keep()).kind).toBe('unchanged');
  });
});

describe('an owned file with drift', () => {
  const path = '/etc/kubernetes/kubelet/config.d/20-headstart.conf';
  const drifted = async (onDrift: 'report' | 'repair') => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    const a = withUpdate(110, 1, { onDrift, maxClass: 6 });
    await store.apply(a, UNORDERED);
    node.join();
    await store.apply(a, UNORDERED);
    const before = node.snapshot();
    expect(await store.drift()).toEqual([]);
    node.put(path, '{}\n');
    return { node, store, a, before };
  };

  it('is reported and not overwritten with onDrift: report', async () => {
    const { node, store, a, before } = await drifted('report');
    expect((await store.drift()).map(({ what, isDrift }) => [what, isDrift])).toEqual([[path, true]]);
    expect(kindAndCode(await store.apply(a, UNORDERED))).toEqual(['blocked', 'plan/drift']);
    expect(node.text(path)).toBe('{}\n');
    await store.apply(a, ORDERED);
    expect(node.snapshot()).toEqual(before);
  });

  it('is restored with onDrift: repair', async () => {
    const { node, store, a, before } = await drifted('repair');
    expect((await store.apply(a, UNORDERED)).kind).toBe('applied');
    expect(node.snapshot()).toEqual(before);
    expect(store.listGenerations()).toHaveLength(1);
  });

  it('stays owned when the repair fails', async () => {
    const { node, store, a } = await drifted('repair');
    node.failing.set('start kubelet.service', 1);
    expect(kindAndCode(await store.apply(a, UNORDERED))).toEqual(['failed', 'verify/unit-failed']);
    expect(store.slots().bad).toEqual([]);
    expect(store.slots().active?.hash).toBe(a.hash);
  });
});

describe('the active document', () => {
  it.each(['manual', 'staged'] as const)('is maintained without an order, also with mode %s', async (mode) => {
    const node = aNode();
    const store = openNodeStore(node.deps());
    const a = withUpdate(110, 1, { mode });
    await store.apply(a, UNORDERED);
    expect(node.text(BOOTSTRAP_PATH)).toContain('token');
    node.join();
    expect((await store.apply(a, UNORDERED)).kind).toBe('applied');
    expect(node.text(BOOTSTRAP_PATH)).toBeUndefined();
    await watch(node, store, 6);
    node.boot();
    expect(node.system.rules).toBeNull();
    await openNodeStore(node.deps()).apply(a, UNORDERED);
    expect(node.system.rules).not.toBeNull();
    expect((await store.apply(B, UNORDERED)).kind).toBe('applied');
  });

  it('gets its kernel settings back after a boot, even when a drifted file is only reported', async () => {
    const { node } = await inService();
    node.put('/etc/crictl.yaml', 'x');
    node.boot();
    const store = openNodeStore(node.deps());
    expect(kindAndCode(await store.apply(A, UNORDERED))).toEqual(['blocked', 'plan/drift']);
    expect([node.text('/etc/crictl.yaml'), node.system.rules === null]).toEqual(['x', false]);
    expect(node.text('/proc/sys/kernel/hostname')).toBe('node-1');
  });
});
