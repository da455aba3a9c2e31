import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { afterEach, describe, expect, it } from 'vitest';
import { Secret } from '../../base/secret.ts';
import { BOOTSTRAP_PATH } from '../desired/aspects/join.ts';
import { OWN_CONFIG_PATH } from '../desired/aspects/kubelet.ts';
import type { NodeConfig, UpdatePolicy } from '../document/config.ts';
import { aConfig, anyConfig, CANARY, OTHER_PEM, PEM } from '../document/configs.testing.ts';
import type { Assignment, NodeStore, Outcome } from './contract.ts';
import type { Disk } from './disk.ts';
import { watchedDisk } from './disks.testing.ts';
import { STORE } from './folder.ts';
import { assignmentOf, NodeFolder } from './node-folder.testing.ts';
import { openNodeStore } from './store.ts';

const BY_ITSELF = { isOrdered: false };
const ORDERED = { isOrdered: true };
const MINUTE_MS = 60_000;

const made: NodeFolder[] = [];
afterEach(() => {
  for (const node of made.splice(0)) node.remove();
});

function aNode(): NodeFolder {
  const node = new NodeFolder();
  made.push(node);
  return node;
}

const A = assignmentOf(withPods(110, 1));
const B = assignmentOf(withPods(120, 2));
const C = assignmentOf(withPods(130, 3));

function withPods(maxPods: number, generation: number, over: Partial<NodeConfig> = {}): Partial<NodeConfig> {
  return { generation, kubelet: { ...aConfig().kubelet, maxPods }, ...over };
}

function withUpdate(maxPods: number, generation: number, update: Partial<UpdatePolicy>): Assignment {
  return assignmentOf(withPods(maxPods, generation, { update: { ...aConfig().update, ...update } }));
}

/** Looks every half minute; kubelet says that it is well, unless `isWell` says otherwise. */
async function watch(node: NodeFolder, store: NodeStore, minutes: number, isWell = true): Promise<Outcome> {
  let outcome = await store.check();
  for (let i = 0; i < minutes * 2 && outcome.kind === 'applied'; i++) {
    node.clock.advance(MINUTE_MS / 2);
    if (isWell) node.beat();
    outcome = await store.check();
  }
  return outcome;
}

/** In service with A, which is the last known good. */
async function inService(): Promise<{ node: NodeFolder; store: NodeStore }> {
  const node = aNode();
  const store = openNodeStore(node.edges());
  await store.apply(A, BY_ITSELF);
  node.join();
  await store.apply(A, BY_ITSELF);
  expect((await watch(node, store, 6)).kind).toBe('verified');
  node.ran.length = 0;
  node.clock.advance(2_000);
  return { node, store };
}

const said = ({ kind, code }: Outcome) => [kind, code];

describe('a document', () => {
  it('is applied on the first boot, watched, and becomes the last known good after five healthy minutes', async () => {
    const node = aNode();
    const store = openNodeStore(node.edges());
    expect(said(await store.apply(A, BY_ITSELF))).toEqual(['applied', 'verify/running']);
    expect(node.ran).toEqual(['systemctl daemon-reload', 'nft']);
    expect(said(await store.check())).toEqual(['applied', 'verify/unit-failed']);
    expect(store.slots().lastKnownGood).toBeUndefined();
    node.join();
    expect(said(await watch(node, store, 4))).toEqual(['applied', 'verify/running']);
    expect(said(await watch(node, store, 1))).toEqual(['verified', 'ok/applied']);
    const { active, lastKnownGood, watch: watched, assigned } = store.slots();
    expect([active?.number, lastKnownGood?.number, assigned?.number, watched]).toEqual([1, 1, 1, undefined]);
    expect(said(await store.check())).toEqual(['unchanged', 'ok/applied']);
  });

  it('applied twice writes nothing and runs nothing the second time', async () => {
    const { node } = await inService();
    const before = node.snapshot();
    const writes: string[] = [];
    const store = openNodeStore(node.edges(watchedDisk(node.disk(), (op, path) => writes.push(`${op} ${path}`))));
    expect(said(await store.recover())).toEqual(['unchanged', 'ok/applied']);
    expect(said(await store.apply(A, BY_ITSELF))).toEqual(['unchanged', 'ok/nothing-to-do']);
    expect(said(await store.check())).toEqual(['unchanged', 'ok/applied']);
    expect([writes, node.ran]).toEqual([[], []]);
    expect(node.snapshot()).toEqual(before);
  });

  it('is done exactly as its plan said', async () => {
    const { node, store } = await inService();
    const { plan, verdict } = await store.plan(B, BY_ITSELF);
    expect(verdict.decision).toBe('go');
    const writes = new Set<string>();
    const watching = openNodeStore(
      node.edges(
        watchedDisk(node.disk(), (op, path) => op === 'rename' && !path.startsWith(STORE) && writes.add(path)),
      ),
    );
    const outcome = await watching.apply(B, BY_ITSELF);
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
    ['A, B, A', A, B],
    ['B, C, B', B, C],
  ])('%s is byte for byte the first', async (_what, first, second) => {
    const { node, store } = await inService();
    await store.apply(first, ORDERED);
    const before = node.snapshot();
    await store.apply(second, ORDERED);
    expect(node.snapshot()).not.toEqual(before);
    await store.apply(first, ORDERED);
    expect(node.snapshot()).toEqual(before);
  });

  it('that only says what the node is already becomes active without a restart, and good where the last one was', async () => {
    const { node, store } = await inService();
    const same = assignmentOf(withPods(110, 7));
    expect(said(await store.apply(same, BY_ITSELF))).toEqual(['unchanged', 'ok/nothing-to-do']);
    expect(node.ran).toEqual([]);
    const { active, lastKnownGood } = store.slots();
    expect([active?.generation, lastKnownGood?.generation]).toEqual([7, 7]);
    expect(store.active()?.config.generation).toBe(7);
  });

  it('is kept with its facts, so that the node can start from it without anybody to ask', async () => {
    const { node } = await inService();
    const kept = openNodeStore(node.edges()).active();
    const { document, config, ...rest } = A;
    expect(kept).toMatchObject(rest);
    expect(Buffer.from(kept!.document).equals(document)).toBe(true);
    expect(kept?.config.generation).toBe(config.generation);
    expect(said(await openNodeStore(node.edges()).apply(kept!, BY_ITSELF))).toEqual(['unchanged', 'ok/nothing-to-do']);
  });

  it('is kept with what the platform says of the instance now, also when that is all that is new', async () => {
    const { node, store } = await inService();
    const instance = { ...A.facts.instance, tags: { team: 'payments' }, addresses: ['10.0.0.5'] };
    const moved = { ...A, facts: { ...A.facts, instance } };
    await store.apply(moved, ORDERED);
    expect(store.active()?.facts.instance).toEqual(instance);
    expect(node.text('/etc/default/kubelet')).toContain('--node-ip=10.0.0.5');
    const tagged = { ...moved, facts: { ...A.facts, instance: { ...instance, tags: {} } } };
    expect((await store.apply(tagged, BY_ITSELF)).kind).toBe('unchanged');
    expect(store.active()?.facts.instance.tags).toEqual({});
    expect(store.listGenerations()).toHaveLength(1);
  });

  it('asks nothing of the API server on the way to kubelet, and later only about labels and taints', async () => {
    const node = aNode();
    let asked = 0;
    const { node: hooks, ...edges } = node.edges();
    const seen = async () => {
      asked++;
      return { labels: new Map(), taints: new Map() };
    };
    const store = openNodeStore({ ...edges, node: { ...hooks, seen } });
    const labelled = assignmentOf(withPods(110, 2, { labels: { tier: 'a' } }));
    await store.apply(labelled, BY_ITSELF);
    expect(asked).toBe(0);
    node.join();
    await store.apply(labelled, BY_ITSELF);
    expect([asked, node.labels.get('tier')]).toEqual([1, 'a']);
    await store.apply(A, BY_ITSELF);
    expect(asked).toBe(2); // the label leaves
    await store.apply(A, BY_ITSELF);
    expect(asked).toBe(2);
  });

  it('whatever it says, and whatever was before, ends as if it had been the first', async () => {
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
          const store = openNodeStore(node.edges());
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

/** Loaded modules stay. */
function withoutModules({ files, rules }: { files: [string, string][]; rules: string | null }): unknown {
  return { rules, files: files.filter(([path]) => path !== '/proc/modules') };
}

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
    expect(said(await openNodeStore(node.edges()).apply(B, BY_ITSELF))).toEqual(['refused', 'plan/known-bad']);
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
    const store = openNodeStore(node.edges());
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
    const store = openNodeStore(node.edges());
    await store.apply(assignmentOf({ cluster: undefined, join: undefined }), BY_ITSELF);
    node.beat();
    node.health.node = { isReachable: false };
    expect((await watch(node, store, 6, false)).kind).toBe('verified');
  });

  it('asks kubelet where it was told to answer, and not at all where it was told not to', async () => {
    const { node } = await inService();
    const asked: (number | undefined)[] = [];
    const { probes, ...edges } = node.edges();
    const kubeletHealthz = async (port?: number) => asked.push(port) > 0;
    const store = openNodeStore({ ...edges, probes: { ...probes, kubeletHealthz } });
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
    const outcome = await openNodeStore(node.edges()).recover();
    expect(said(outcome)).toEqual(['reverted', 'verify/unexpected-reboot']);
    expect(outcome.slots.active?.hash).toBe(A.hash);
    expect(said(await openNodeStore(node.edges()).apply(B, BY_ITSELF))).toEqual(['refused', 'plan/known-bad']);
  });

  it('that was found good stays over a reboot', async () => {
    const { node } = await inService();
    node.boot();
    expect(said(await openNodeStore(node.edges()).recover())).toEqual(['unchanged', 'ok/applied']);
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
    const store = openNodeStore(node.edges());
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
    const store = openNodeStore(node.edges());
    await store.apply(A, BY_ITSELF);
    expect(said(await watch(node, store, 4, false))).toEqual(['failed', 'verify/unit-failed']);
    node.boot();
    expect((await openNodeStore(node.edges()).recover()).kind).toBe('unchanged');
    node.join();
    const later = openNodeStore(node.edges());
    expect(later.slots().bad).toEqual([]);
    expect((await watch(node, later, 6)).kind).toBe('verified');
  });

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
      node.edges({
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
    expect((await openNodeStore(node.edges()).recover()).kind).toBe('waiting');
    expect(node.reboots).toBe(2);
    node.boot();
    const after = openNodeStore(node.edges());
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
    const { disk, ...edges } = node.edges();
    const deadly: Disk = {
      ...disk,
      rename(from, to) {
        if (!to.startsWith(STORE)) throw new Error('gone');
        disk.rename(from, to);
      },
    };
    const dying = openNodeStore({ ...edges, disk: deadly });
    await expect(dying.apply(B, BY_ITSELF)).rejects.toThrow('gone');
    for (let i = 0; i < 2; i++) await expect(dying.recover()).rejects.toThrow('gone');
    const outcome = await store.recover();
    expect([...said(outcome), outcome.slots.active?.hash]).toEqual(['reverted', 'apply/interrupted', A.hash]);
    expect(node.snapshot()).toEqual(before);
    expect(said(await store.apply(B, BY_ITSELF))).toEqual(['refused', 'plan/known-bad']);
  });
});

describe('what may not happen by itself', () => {
  it.each([
    ['more disruptive than allowed', withUpdate(30, 2, {}), 'blocked', 'plan/blocked-by-class'],
    ['for a person', withUpdate(120, 2, { mode: 'manual' }), 'waiting', 'plan/manual'],
    ['for the next boot', withUpdate(120, 2, { mode: 'staged' }), 'waiting', 'plan/staged'],
  ])('is %s: it is remembered, and done when it is ordered', async (_what, to, kind, code) => {
    const { node, store } = await inService();
    const before = node.snapshot();
    expect(said(await store.apply(to, BY_ITSELF))).toEqual([kind, code]);
    expect(node.snapshot()).toEqual(before);
    expect(store.slots()).toMatchObject({ assigned: { hash: to.hash, number: 0 }, active: { hash: A.hash } });
    expect((await store.apply(to, ORDERED)).kind).toBe('applied');
  });

  it('is for the control plane: the rest is done, and it is said what is not', async () => {
    const { node, store } = await inService();
    node.seen = { labels: new Map(), taints: new Map() };
    const to = assignmentOf(withPods(110, 2, { taints: [{ key: 'dedicated', value: 'a', effect: 'NoSchedule' }] }));
    expect((await store.apply(to, BY_ITSELF)).kind).toBe('applied');
    expect(said(await store.apply(to, BY_ITSELF))).toEqual(['blocked', 'plan/needs-control-plane']);
    expect(store.slots().active?.hash).toBe(to.hash);
  });

  it('stays on trial until somebody keeps it', async () => {
    const { node, store } = await inService();
    const trial = withUpdate(120, 2, { mode: 'try', tryForMs: 3 * MINUTE_MS });
    await store.apply(trial, BY_ITSELF);
    expect(said(await watch(node, store, 4))).toEqual(['reverted', 'verify/not-kept']);
    expect(said(await store.apply(trial, BY_ITSELF))).toEqual(['refused', 'plan/known-bad']);

    await store.apply(trial, ORDERED);
    expect((await store.keep()).kind).toBe('applied');
    expect((await watch(node, store, 6)).kind).toBe('verified');
    expect((await store.keep()).kind).toBe('unchanged');
  });
});

describe('a file of ours that somebody else changed', () => {
  const path = '/etc/kubernetes/kubelet/config.d/20-headstart.conf';
  const drifted = async (onDrift: 'report' | 'repair') => {
    const node = aNode();
    const store = openNodeStore(node.edges());
    const a = withUpdate(110, 1, { onDrift, maxClass: 6 });
    await store.apply(a, BY_ITSELF);
    node.join();
    await store.apply(a, BY_ITSELF);
    const before = node.snapshot();
    expect(await store.drift()).toEqual([]);
    node.put(path, '{}\n');
    return { node, store, a, before };
  };

  it('is reported, and nothing is applied over it', async () => {
    const { node, store, a, before } = await drifted('report');
    expect((await store.drift()).map(({ what, isDrift }) => [what, isDrift])).toEqual([[path, true]]);
    expect(said(await store.apply(a, BY_ITSELF))).toEqual(['blocked', 'plan/drift']);
    expect(node.text(path)).toBe('{}\n');
    await store.apply(a, ORDERED);
    expect(node.snapshot()).toEqual(before);
  });

  it('is put back where the document says so', async () => {
    const { node, store, a, before } = await drifted('repair');
    expect((await store.apply(a, BY_ITSELF)).kind).toBe('applied');
    expect(node.snapshot()).toEqual(before);
    expect(store.listGenerations()).toHaveLength(1);
  });

  it('stays ours when putting it back fails', async () => {
    const { node, store, a } = await drifted('repair');
    node.failing.set('start kubelet.service', 1);
    expect(said(await store.apply(a, BY_ITSELF))).toEqual(['failed', 'verify/unit-failed']);
    expect(store.slots().bad).toEqual([]);
    expect(store.slots().active?.hash).toBe(a.hash);
  });
});

describe('what the node runs', () => {
  it.each(['manual', 'staged'] as const)('is kept true without asking anybody, also under %s', async (mode) => {
    const node = aNode();
    const store = openNodeStore(node.edges());
    const a = withUpdate(110, 1, { mode });
    await store.apply(a, BY_ITSELF);
    expect(node.text(BOOTSTRAP_PATH)).toContain('token');
    node.join();
    expect((await store.apply(a, BY_ITSELF)).kind).toBe('applied');
    expect(node.text(BOOTSTRAP_PATH)).toBeUndefined();
    await watch(node, store, 6);
    node.boot();
    expect(node.system.rules).toBeNull();
    await openNodeStore(node.edges()).apply(a, BY_ITSELF);
    expect(node.system.rules).not.toBeNull();
    expect((await store.apply(B, BY_ITSELF)).kind).toBe('applied');
  });

  it('keeps its live values also when somebody changed a file of ours, which is still only reported', async () => {
    const { node } = await inService();
    node.put('/etc/crictl.yaml', 'x');
    node.boot();
    const store = openNodeStore(node.edges());
    expect(said(await store.apply(A, BY_ITSELF))).toEqual(['blocked', 'plan/drift']);
    expect([node.text('/etc/crictl.yaml'), node.system.rules === null]).toEqual(['x', false]);
    expect(node.text('/proc/sys/kernel/hostname')).toBe('node-1');
  });

  it('has its units back when they come back with a change that is taken back', async () => {
    const node = aNode();
    const store = openNodeStore(node.edges());
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

describe('a clone', () => {
  it("forgets the donor's documents and its cut-off change, and knows what is ours on the disk", async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    const { disk, ...edges } = node.edges();
    const dying: Disk = {
      ...disk,
      rename(from, to) {
        if (!to.startsWith(STORE)) throw new Error('gone');
        disk.rename(from, to);
      },
    };
    await expect(openNodeStore({ ...edges, disk: dying }).apply(C, ORDERED)).rejects.toThrow('gone');
    node.boot();
    // What the clone check does before us.
    rmSync(join(node.root, '/var/lib/kubelet'), { recursive: true });
    node.put('/etc/hostname', 'clone\n');

    const clone = openNodeStore({ ...node.edges(), vmId: 'clone' });
    expect(said(await clone.forget())).toEqual(['unchanged', 'clone/new-identity']);
    expect(clone.slots()).toEqual({ bad: [] });
    expect([clone.active(), clone.listGenerations()]).toEqual([undefined, []]);
    expect(readdirSync(join(node.root, STORE)).sort()).toEqual(['generations', 'state']);
    expect(readdirSync(join(node.root, STORE, 'generations'))).toEqual([]);
    expect(said(await clone.recover())).toEqual(['unchanged', 'ok/nothing-to-do']);
    expect(said(await clone.forget())).toEqual(['unchanged', 'ok/nothing-to-do']);

    const { instance } = A.facts;
    const own = { ...A, hash: 'own', facts: { ...A.facts, instance: { ...instance, computerName: 'node-2' } } };
    const outcome = await clone.apply(own, BY_ITSELF);
    expect([outcome.kind, outcome.slots.watch?.backTo]).toEqual(['applied', undefined]);
    expect(node.text('/etc/hostname')).toBe('node-2\n');
    expect(openNodeStore(node.edges()).slots().active?.vmId).toBe('clone');
  });
});

describe('history', () => {
  it('tells what was applied, what is good and what was taken back', async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
    await store.check();
    // A change that is taken back was never more than tried: it is in the list because it was on the node.
    expect(
      store
        .listGenerations()
        .map((one) => [one.number, one.generation, one.isActive, one.isLastKnownGood, one.bad?.code]),
    ).toEqual([
      [2, 2, false, false, 'verify/unit-failed'],
      [1, 1, true, true, undefined],
    ]);
  });

  it('is a way back, and what was left does not return by itself', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    await store.apply(B, BY_ITSELF);
    await watch(node, store, 6);
    const outcome = await store.rollbackTo(1);
    expect([outcome.kind, outcome.slots.active?.number]).toEqual(['applied', 1]);
    expect(node.snapshot()).toEqual(before);
    expect(said(await store.apply(B, BY_ITSELF))).toEqual(['refused', 'plan/known-bad']);
    expect((await watch(node, store, 6)).kind).toBe('verified');
    expect((await store.apply(C, BY_ITSELF)).kind).toBe('applied');
  });

  it('without a number leads to the last known good, or to the one before', async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    const { active, watch: watched } = (await store.rollbackTo()).slots;
    expect([active?.number, watched]).toEqual([1, undefined]);
    await store.apply(C, BY_ITSELF);
    await watch(node, store, 6);
    expect((await store.rollbackTo()).slots.active?.number).toBe(2);
  });

  it.each(['by itself', 'by order'])('leads back to a document, not to an address of then: %s', async (how) => {
    const { node, store } = await inService();
    const facts = { ...A.facts, instance: { ...A.facts.instance, addresses: ['10.0.0.9'] } };
    await store.apply({ ...B, facts }, ORDERED);
    if (how === 'by order') await store.rollbackTo(1);
    else {
      node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
      await store.check();
    }
    expect(store.slots().active?.hash).toBe(A.hash);
    expect(node.text('/etc/default/kubelet')).toContain('--node-ip=10.0.0.9');
    expect(store.active()?.facts).toEqual(facts);
    expect((await store.apply(store.active()!, BY_ITSELF)).kind).toBe('unchanged');
  });

  it('has no generation that was never there', async () => {
    const { store } = await inService();
    await expect(store.rollbackTo(9)).rejects.toMatchObject({ code: 'node/no-such-generation', exitCode: 1 });
  });

  it('keeps the last ten, and what is needed', async () => {
    const { store } = await inService();
    for (let i = 2; i < 20; i++) await store.apply(assignmentOf(withPods(110 + i, i)), BY_ITSELF);
    const numbers = store.listGenerations().map(({ number }) => number);
    expect(numbers).toEqual([19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 1]);
  });
});

describe('what is remembered', () => {
  it("is root's alone, and nothing of it is in what is told", async () => {
    const node = aNode();
    const store = openNodeStore(node.edges());
    const secret = new Secret(CANARY);
    const content = { content: secret, encoding: 'utf8', mode: 0o600, owner: 'root', group: 'root' } as const;
    const to = assignmentOf(
      withPods(110, 1, { files: { '/etc/app.conf': content }, join: { method: 'token', token: secret } }),
    );
    const outcome = await store.apply(to, BY_ITSELF);
    for (const told of [JSON.stringify(outcome), inspect(outcome, { depth: 20 })]) expect(told).not.toContain(CANARY);
    for (const [path, mode] of modes(join(node.root, 'var/lib/headstart'))) {
      expect([path, mode.toString(8)]).toEqual([path, lstatSync(path).isDirectory() ? '700' : '600']);
    }
    expect(openNodeStore(node.edges()).active()?.config.join).toEqual({ method: 'token', token: secret });
    expect(node.text('/etc/app.conf')).toBe(CANARY);
  });

  it('is not guessed at when it cannot be read', async () => {
    const { node, store } = await inService();
    for (const text of [
      '',
      '"$secret"\n{}\n',
      '"$secret"\n{"version":2}\n',
      readFileSync(join(node.root, STORE, 'state'), 'utf8').slice(0, -9),
    ]) {
      writeFileSync(join(node.root, STORE, 'state'), text);
      const before = node.snapshot();
      expect(said(await store.apply(B, ORDERED))).toEqual(['failed', 'apply/memory-unreadable']);
      expect(said(await store.recover())).toEqual(['failed', 'apply/memory-unreadable']);
      expect(() => store.slots()).toThrow('cannot be read');
      expect(node.snapshot()).toEqual(before);
    }
  });
});

describe('two at once', () => {
  it('do not change a node: one of them waits', async () => {
    const { node, store } = await inService();
    const other = openNodeStore(node.edges());
    const outcomes = await Promise.all([store.apply(B, ORDERED), other.apply(C, ORDERED), store.check()]);
    expect(outcomes.map(said).sort()).toEqual([
      ['applied', 'verify/running'],
      ['unchanged', 'ok/applied'],
      ['waiting', 'apply/busy'],
    ]);
    expect(node.drains).toBe(0);
  });

  it('is left alone by a person who stops it before it has begun', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    const signal = AbortSignal.abort(new Error('stop'));
    await expect(store.apply(B, { isOrdered: true, signal })).rejects.toThrow('stop');
    expect(node.snapshot()).toEqual(before);
    expect((await store.apply(B, ORDERED)).kind).toBe('applied');
  });
});

function modes(path: string): [string, number][] {
  const stat = lstatSync(path);
  const inner = stat.isDirectory() ? readdirSync(path).flatMap((name) => modes(join(path, name))) : [];
  return [[path, stat.mode & 0o777], ...inner];
}
