// An apply may be interrupted at any point: the node then has the old or the new configuration.
import { isDeepStrictEqual } from 'node:util';
import { afterEach, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../base/command.ts';
import { requestedSeeds } from '../../base/seeds.testing.ts';
import type { NodeConfig } from '../document/config.ts';
import { PEM } from '../document/configs.testing.ts';
import type { Assignment, NodeStore } from './contract.ts';
import type { NodeDisk } from './disk.ts';
import { forgetfulDisk, fullDisk, Killed, type KillSwitch, killAt, killingDisk } from './disks.testing.ts';
import { assignmentOf, NodeFolder } from './node-folder.testing.ts';
import { openNodeStore } from './store.ts';

const ORDERED = { isOrdered: true };
const IS_CAMPAIGN = process.env.HEADSTART_CAMPAIGN === 'full';
/** Tests every n-th pair of two kill points. */
const STRIDE = IS_CAMPAIGN ? 1 : 18;
const SEEDS = IS_CAMPAIGN ? requestedSeeds('1-25') : [1];
/** Long enough for a busy machine. */
const PATIENCE_MS = IS_CAMPAIGN ? 3_600_000 : 240_000;
const file = (content: string) => ({ content, encoding: 'utf8', mode: 0o644, owner: 'root', group: 'root' }) as const;

const A: Partial<NodeConfig> = {
  files: { '/etc/app.conf': file('a\n'), '/etc/motd': file('hello\n'), '/opt/a/b/c': file('deep\n') },
  os: {
    sysctls: { 'vm.max_map_count': '1' },
    modules: { br_netfilter: { parameters: {} } },
    limits: {},
    hugePages: {},
    timeServers: [],
  },
  units: {
    'app.service': {
      content: '[Service]\nExecStart=/bin/a\n',
      dropIns: {},
      isEnabled: true,
      isActive: true,
      isMasked: false,
    },
  },
};
const B: Partial<NodeConfig> = {
  generation: 2,
  files: { '/etc/app.conf': file('b\n'), '/opt/a/x': file('new\n') },
  kubelet: { maxPods: 120, systemReserved: {}, kubeReserved: {}, featureGates: {}, flags: {}, config: {} },
  containerd: { registries: {}, runtimes: {}, sandboxImage: 'pause:2' },
  trustedCertificates: { corp: PEM },
  os: {
    sysctls: { 'net.ipv4.tcp_rmem': '1 2 3' },
    modules: {},
    limits: {},
    hugePages: {},
    timeServers: [],
    swap: { file: '/var/lib/swapfile', sizeBytes: 4096, behavior: 'NoSwap' },
  },
  units: {
    'ssh.service': { dropIns: {}, isMasked: true },
    'containerd.service': { dropIns: { '10-a.conf': '[Service]\nNice=1\n' }, isMasked: false },
  },
};

const made: NodeFolder[] = [];
afterEach(() => {
  for (const node of made.splice(0)) node.remove();
});

/** Runs A, or is a fresh image. */
async function aNode(isInService: boolean): Promise<NodeFolder> {
  const node = new NodeFolder();
  made.push(node);
  if (!isInService) return node;
  await openNodeStore(node.deps()).apply(assignmentOf(A), ORDERED);
  node.join();
  await openNodeStore(node.deps()).apply(assignmentOf(A), ORDERED);
  return node;
}

async function endsOf(start: NodeFolder, to: Assignment): Promise<{ old: unknown; new: unknown }> {
  const node = start.copy();
  made.push(node);
  const old = node.snapshot();
  const outcome = await openNodeStore(node.deps()).apply(to, ORDERED);
  expect(outcome.kind, outcome.reason).toBe('applied');
  return { old, new: node.snapshot() };
}

/** Repeats `act` on fresh copies with the next point of failure until `act` returns false: it ended before that point. */
async function untilUndisturbed(
  start: NodeFolder,
  act: (node: NodeFolder, at: number) => Promise<boolean>,
): Promise<number> {
  for (let at = 1; ; at++) {
    const node = start.copy();
    try {
      if (!(await act(node, at))) return at - 1;
    } finally {
      node.remove();
    }
  }
}

/** Kills `act` at the given write or command, which may leave a half-written file. False: it ended before. */
async function isKilled(
  node: NodeFolder,
  kill: KillSwitch,
  act: (store: NodeStore) => Promise<unknown>,
  disk: NodeDisk = node.disk(),
): Promise<boolean> {
  const deps = node.deps(killingDisk(disk, kill));
  const { run } = deps;
  const dying: RunCommand = async (argv, options) => {
    kill.act();
    return run(argv, options);
  };
  try {
    await act(openNodeStore({ ...deps, run: dying }));
    return false;
  } catch (error) {
    if (error instanceof Killed) return true;
    throw error;
  }
}

const TO = [
  ['on its first boot', false, assignmentOf(A)],
  ['in service', true, assignmentOf(B)],
] as const;

describe.each(TO)('an apply %s', (when, isInService, to) => {
  const ends = { old: 0, new: 0 };
  const tell = (what: string) => {
    console.log(`${what} ${when}: ${ends.old + ends.new} cases, ${ends.old} ended old, ${ends.new} new`);
    expect(ends.old).toBeGreaterThan(0);
    expect(ends.new).toBeGreaterThan(0);
    Object.assign(ends, { old: 0, new: 0 });
  };

  it(
    'that is killed at any write or command is finished or rolled back at the next start',
    async () => {
      const start = await aNode(isInService);
      const expected = await endsOf(start, to);
      await untilUndisturbed(start, async (node, at) => {
        if (!(await isKilled(node, killAt(at), (store) => store.apply(to, ORDERED)))) return false;
        const store = openNodeStore(node.deps());
        const outcome = await store.recover();
        const end = store.slots().active?.hash === to.hash ? 'new' : 'old';
        expect(node.snapshot(), `killed at ${at}: ${outcome.kind} ${outcome.reason}`).toEqual(expected[end]);
        await store.apply(to, ORDERED);
        expect(node.snapshot(), `killed at ${at}, applied again`).toEqual(expected.new);
        ends[end]++;
        return true;
      });
      tell('killed');
    },
    PATIENCE_MS,
  );

  it(
    'that is killed again during the recovery ends in the same state',
    async () => {
      const start = await aNode(isInService);
      const expected = await endsOf(start, to);
      await untilUndisturbed(start, async (node, first) => {
        const at = 1 + (first - 1) * STRIDE;
        if (!(await isKilled(node, killAt(at), (store) => store.apply(to, ORDERED)))) return false;
        await untilUndisturbed(node, async (again, second) => {
          const then = second * STRIDE;
          const isHit = await isKilled(again, killAt(then), (store) => store.recover());
          const store = openNodeStore(again.deps());
          await store.recover();
          const end = store.slots().active?.hash === to.hash ? 'new' : 'old';
          expect(again.snapshot(), `killed at ${at}, then at ${then}`).toEqual(expected[end]);
          ends[end]++;
          return isHit;
        });
        return true;
      });
      tell('killed twice');
    },
    PATIENCE_MS,
  );

  it(
    'on a disk that fills up at any write leaves the old configuration, or is finished once there is space',
    async () => {
      const start = await aNode(isInService);
      const expected = await endsOf(start, to);
      await untilUndisturbed(start, async (node, at) => {
        const { disk, free, isHit } = fullDisk(node.disk(), at);
        const store = openNodeStore(node.deps(disk));
        const outcome = await store.apply(to, ORDERED);
        if (!isHit()) return false;
        expect(outcome.code, `full at ${at}: ${outcome.reason}`).toEqual('apply/disk-full');
        const end = isDeepStrictEqual(node.snapshot(), expected.new) ? 'new' : 'old';
        expect(node.snapshot(), `full at ${at}: ${outcome.reason}`).toEqual(expected[end]);
        expect(store.slots().bad).toEqual([]);
        free();
        await store.apply(to, ORDERED);
        expect(node.snapshot(), `full at ${at}, then freed`).toEqual(expected.new);
        ends[end]++;
        return true;
      });
      tell('full');
    },
    PATIENCE_MS,
  );

  it(
    'that loses power at any moment is finished or rolled back at the next boot',
    async () => {
      const start = await aNode(isInService);
      const expected = await endsOfBoot(start, to);
      for (const seed of SEEDS) {
        await untilUndisturbed(start, async (node, at) => {
          const forgetful = forgetfulDisk(node.disk(), node.root);
          const isHit = await isKilled(node, killAt(at), (store) => store.apply(to, ORDERED), forgetful.disk);
          forgetful.cut(picker(seed * 1000 + at));
          const end = await bootAgain(node, to);
          expect(bootSnapshot(node), `cut at ${at}, seed ${seed}`).toEqual(expected[end]);
          ends[end]++;
          return isHit; // the last power cut came after the apply had ended
        });
      }
      tell('cut');
    },
    PATIENCE_MS,
  );
});

describe('a rollback', () => {
  const to = assignmentOf(B);
  const isBack = (store: NodeStore) => store.slots().active?.hash === assignmentOf(A).hash;

  it(
    'that is killed at any write or command is finished by the next check',
    async () => {
      const start = await aNode(true);
      const old = start.snapshot();
      await openNodeStore(start.deps()).apply(to, ORDERED);
      start.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
      const cases = await untilUndisturbed(start, async (node, at) => {
        const isHit = await isKilled(node, killAt(at), (store) => store.check());
        const store = openNodeStore(node.deps());
        await store.recover();
        await store.check();
        expect([isBack(store), node.snapshot()], `killed at ${at}`).toEqual([true, old]);
        expect(store.slots().bad.map(({ hash }) => hash)).toEqual([to.hash]);
        return isHit;
      });
      console.log(`killed during a rollback: ${cases} cases`);
      expect(cases).toBeGreaterThan(20);
    },
    PATIENCE_MS,
  );

  it(
    'after a failed command that is killed at any moment leaves the old or the new configuration',
    async () => {
      const start = await aNode(true);
      const expected = await endsOf(start, to);
      const ends = { old: 0, new: 0 };
      await untilUndisturbed(start, async (node, at) => {
        node.failing.set('update-ca-certificates', 1);
        const isHit = await isKilled(node, killAt(at), (store) => store.apply(to, ORDERED));
        const store = openNodeStore(node.deps());
        await store.recover();
        const end = isBack(store) ? 'old' : 'new';
        expect(node.snapshot(), `killed at ${at}`).toEqual(expected[end]);
        ends[end]++;
        return isHit;
      });
      console.log(
        `killed while a command failed: ${ends.old + ends.new} cases, ${ends.old} ended old, ${ends.new} new`,
      );
      expect(ends.old).toBeGreaterThan(10);
    },
    PATIENCE_MS,
  );

  it(
    'on a full disk is finished once there is space',
    async () => {
      const start = await aNode(true);
      const old = start.snapshot();
      await openNodeStore(start.deps()).apply(to, ORDERED);
      start.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
      await untilUndisturbed(start, async (node, at) => {
        const { disk, free, isHit } = fullDisk(node.disk(), at);
        const store = openNodeStore(node.deps(disk));
        await store.check();
        free();
        await store.check();
        await store.check();
        expect([isBack(store), node.snapshot()], `full at ${at}`).toEqual([true, old]);
        return isHit();
      });
    },
    PATIENCE_MS,
  );
});

/** What the daemon does at every boot: recover, then apply the active document. */
async function bootAgain(node: NodeFolder, to: Assignment): Promise<'old' | 'new'> {
  node.boot();
  const store = openNodeStore(node.deps());
  const recovered = await store.recover();
  const active = store.active();
  if (active) {
    const outcome = await store.apply(active, { isOrdered: false });
    expect(['unchanged', 'applied'], `${recovered.reason}; ${outcome.reason}`).toContain(outcome.kind);
  }
  return active?.hash === to.hash ? 'new' : 'old';
}

/** Ignores which units were started in this boot. */
function bootSnapshot(node: NodeFolder): unknown {
  const { files, rules } = node.snapshot();
  return { files, rules };
}

async function endsOfBoot(start: NodeFolder, to: Assignment): Promise<{ old: unknown; new: unknown }> {
  const [old, next] = [start.copy(), start.copy()];
  made.push(old, next);
  await bootAgain(old, to);
  const store = openNodeStore(next.deps());
  await store.apply(to, ORDERED);
  for (let outcome = await store.check(); outcome.kind === 'applied'; outcome = await store.check()) {
    next.clock.advance(30_000);
    next.beat();
  }
  expect(store.slots().watch).toBeUndefined();
  expect(await bootAgain(next, to)).toBe('new');
  return { old: bootSnapshot(old), new: bootSnapshot(next) };
}

/** A deterministic random number generator. */
function picker(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
