// Complete runs of a daemon on a fake node in a folder: a real store, a real disk, a fake clock.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { JsonObject } from '../../schema/json.ts';
import { OWN_CONFIG_PATH } from '../desired/aspects/kubelet.ts';
import { aCluster, aDocument, bytesOf } from '../document/documents.testing.ts';
import { MetadataFailure } from '../metadata/source.ts';
import { TestNode } from './daemon.testing.ts';

const nodes: TestNode[] = [];
afterEach(async () => {
  const folders = new Set(nodes.map(({ folder }) => folder));
  for (const node of nodes.splice(0)) await node.stop();
  for (const folder of folders) folder.remove();
});

function start(...options: ConstructorParameters<typeof TestNode>): TestNode {
  const node = new TestNode(...options);
  nodes.push(node);
  return node;
}

const config = (generation: number, motd: string, spec: JsonObject = {}): Uint8Array =>
  bytesOf(
    aDocument(
      { cluster: aCluster, join: { existing: {} }, files: { '/etc/motd-test': { content: motd } }, ...spec },
      { generation },
    ),
  );
const motd = (node: TestNode) => node.folder.text('/etc/motd-test');

/** A node that runs generation 1, verified. */
async function good(spec: JsonObject = {}): Promise<TestNode> {
  const node = start({ delivered: config(1, 'one', spec) });
  await node.until(() => node.readyAtPhase.length === 1);
  node.folder.join();
  keepsBeating(node);
  await node.reach('Applied');
  return node;
}

/** The cluster sees a heartbeat after every change. */
function keepsBeating(node: TestNode): void {
  const { health, clock } = node.folder;
  Object.defineProperty(health, 'node', {
    get: () => ({ isReachable: true, isReady: true, heartbeatMs: clock.nowMs() }),
  });
}

describe('a daemon with damaged saved state', () => {
  const damage = (node: TestNode, text: string) => node.folder.put('/var/lib/headstart/node/state', text);

  it('lets kubelet start with the files on disk, reports the damage, and recovers once the state is repaired', async () => {
    const before = await good();
    await before.stop();
    const state = before.folder.text('/var/lib/headstart/node/state')!;
    damage(before, '{"token": "s3cret"');
    const node = start({ folder: before.folder, delivered: new MetadataFailure('metadata/unreachable', 'no answer') });
    await node.until(() => node.readyAtPhase.length === 1);
    await node.fetchesAgain();
    expect(node.phase).toBe('Degraded apply/memory-unreadable');
    expect(node.output.join('\n')).not.toContain('s3cret');
    damage(node, state);
    await node.reach('Applied');
    expect(node.readyAtPhase).toEqual(['Degraded']);
  });

  it("reports the damage and does not let kubelet start if kubelet's files are missing or the donor's", async () => {
    const before = await good();
    await before.stop();
    damage(before, 'x');
    const clone = start({ folder: before.folder, isForeign: true, delivered: config(1, 'one') });
    await clone.reach('Degraded apply/memory-unreadable');
    await clone.stop();
    rmSync(join(before.folder.root, OWN_CONFIG_PATH));
    const bare = start({ folder: before.folder, delivered: config(1, 'one') });
    await bare.reach('Degraded apply/memory-unreadable');
    expect([clone.readyAtPhase, bare.readyAtPhase]).toEqual([[], []]);
  });
});

describe('a daemon in standby', () => {
  const parked = (options: ConstructorParameters<typeof TestNode>[0] = {}) =>
    start({ standby: { is: 'in' }, ...options });

  it('prepares the node, is killed, rebooted and claimed, and starts kubelet only then, with the newest document', async () => {
    const first = parked({ delivered: config(1, 'one') });
    await first.until(() => first.preparedAtPhase.length === 1);
    await first.stop();

    first.folder.boot();
    const second = parked({ folder: first.folder, delivered: config(2, 'two') });
    await second.until(() => motd(second) === 'two' && second.daemon.state().work === undefined);
    expect(second.phase).toBe('Applied standby/waiting');
    await second.stop();

    first.folder.boot();
    const third = parked({ folder: first.folder, delivered: config(3, 'three') });
    third.standby = { is: 'out' };
    await third.until(() => third.readyAtPhase.length === 1);
    expect([motd(third), third.daemon.state().slots.bad]).toEqual(['three', []]);
    expect([first.readyAtPhase, second.readyAtPhase]).toEqual([[], []]);
    expect(third.folder.text('/var/lib/headstart/node/standby.json')).toBeUndefined();
    third.folder.join();
    keepsBeating(third);
    await third.until(() => third.statuses.at(-1)!.lastKnownGood?.generation === 3);
  });

  it('does not join after a reboot without a metadata service, unless it is silent for five minutes', async () => {
    const first = parked({ delivered: config(1, 'one') });
    await first.until(() => first.preparedAtPhase.length === 1);
    await first.stop();
    first.folder.boot();
    const second = start({ folder: first.folder, delivered: new MetadataFailure('metadata/unreachable', 'no answer') });
    await second.until(() => second.preparedAtPhase.length === 1);
    const fromMs = second.folder.clock.nowMs();
    expect(second.statuses.at(-1)!.standby).toMatchObject({ isConfirmed: false });
    await second.until(() => second.readyAtPhase.length === 1);
    expect(second.folder.clock.nowMs() - fromMs).toBeGreaterThan(290_000);
    expect(second.statuses.at(-1)!.notes.map(({ code }) => code)).toContain('standby/assumed-claimed');
  });
});

describe('the daemon', () => {
  it('configures a machine from its metadata, and lets kubelet start before it does anything else', async () => {
    const node = await good();
    expect(motd(node)).toBe('one');
    expect(node.readyAtPhase).toEqual(['Verifying']);
    expect(node.phases).toEqual(['Fetching', 'Applying', 'Verifying', 'Applied']);
    expect(node.statuses.at(-1)).toMatchObject({
      isReady: true,
      active: { generation: 1 },
      lastKnownGood: { generation: 1 },
    });
  });

  it('updates the node in place when the metadata changes, and publishes nothing while it does not', async () => {
    const node = await good();
    const published = node.statuses.length;
    await node.fetchesAgain();
    await node.fetchesAgain();
    expect(node.statuses.length).toBe(published);
    node.delivered = config(2, 'two');
    await node.until(() => node.statuses.at(-1)!.lastKnownGood?.generation === 2);
    expect([motd(node), node.phase]).toEqual(['two', 'Applied ok/applied']);
  });

  it('rolls back a document that breaks the node, does not retry it, and applies the next one', async () => {
    const node = await good();
    node.folder.health.kubelet = false;
    node.delivered = config(2, 'two');
    await node.reach('RolledBack');
    expect(motd(node)).toBe('one');
    node.folder.health.kubelet = true;
    await node.fetchesAgain();
    await node.fetchesAgain();
    expect([motd(node), node.phase.split(' ')[0]]).toEqual(['one', 'RolledBack']);
    node.delivered = config(3, 'three');
    await node.until(() => node.statuses.at(-1)!.lastKnownGood?.generation === 3);
    expect(motd(node)).toBe('three');
  });

  it.each([
    ['is not a NodeConfig', Buffer.from('#cloud-config\n'), 'Blocked config/not-a-node-config'],
    ['is truncated', config(2, 'two').subarray(0, 60), 'Blocked config/'],
    ['reuses the generation', config(1, 'other'), 'Blocked config/generation-reused'],
    [
      'is for another Kubernetes version',
      config(2, 'two', { kubernetes: { version: '1.99.0' } }),
      'Blocked config/other-kubernetes-version',
    ],
  ])('keeps the active document when the new one %s', async (_, bytes, phase) => {
    const node = await good();
    node.delivered = bytes;
    await node.reach(phase);
    expect(motd(node)).toBe('one');
    node.delivered = config(1, 'one');
    await node.reach('Applied');
  });

  it('keeps the active document and adds a note when the metadata has none or does not answer', async () => {
    const node = await good();
    node.delivered = undefined;
    await node.until(() => node.statuses.at(-1)!.notes.some(({ code }) => code === 'config/disappeared'));
    node.delivered = new MetadataFailure('metadata/refused', 'refused');
    await node.until(() => node.statuses.at(-1)!.notes.some(({ code }) => code === 'metadata/refused'));
    expect([motd(node), node.phase]).toEqual(['one', 'Applied ok/applied']);
  });

  it('starts kubelet after a reboot without a metadata service', async () => {
    const before = await good();
    await before.stop();
    before.folder.boot();
    const node = start({ folder: before.folder, delivered: new MetadataFailure('metadata/unreachable', 'no') });
    await node.until(() => node.readyAtPhase.length === 1);
    expect(node.daemon.state().slots.active?.generation).toBe(1);
  });

  it('restores settings that a reboot cleared, also with mode manual', async () => {
    const before = await good({ update: { mode: 'manual' } });
    const { rules } = before.folder.system;
    expect(rules).not.toBeNull();
    await before.stop();
    before.folder.boot();
    expect(before.folder.system.rules).toBeNull();
    const node = start({ folder: before.folder, delivered: new MetadataFailure('metadata/unreachable', 'no') });
    await node.until(() => node.readyAtPhase.length === 1);
    expect(node.folder.system.rules).toBe(rules);
  });

  it('detects drift, and reports or repairs it as the document says', async () => {
    for (const [onDrift, phase, text] of [
      ['report', 'Blocked plan/drift', 'changed'],
      ['repair', 'Applied', 'one'],
    ] as const) {
      const node = await good({ update: { onDrift } });
      node.folder.put('/etc/motd-test', 'changed');
      const sinceMs = node.folder.clock.nowMs();
      await node.until(() => node.folder.clock.nowMs() > sinceMs + 700_000 && node.daemon.state().work === undefined);
      expect(node.phase).toContain(phase);
      expect(motd(node)).toBe(text);
    }
  });

  it("does not use the donor's state on a clone", async () => {
    const before = await good();
    await before.stop();
    before.folder.boot();
    const node = start({
      folder: before.folder,
      isForeign: true,
      delivered: new MetadataFailure('metadata/unreachable', 'no'),
    });
    await node.reach('Degraded');
    expect(node.readyAtPhase).toEqual([]);
    node.instance = { ...node.instance, vmId: 'vm-2' };
    node.delivered = config(1, 'for the clone'); // the same generation is accepted, because the active one was the donor's
    await node.until(() => node.readyAtPhase.length === 1);
    expect(motd(node)).toBe('for the clone');
  });

  it('executes every order once and answers it', async () => {
    const node = await good({ update: { mode: 'manual' } });
    node.delivered = config(2, 'two', { update: { mode: 'manual' } });
    await node.reach('Planned plan/manual');
    const orders = [1, 2].map(() => node.daemon.order({ what: 'apply', origin: 'test' }));
    const answers: unknown[] = [];
    for (const order of orders) order.then((answer) => answers.push(answer));
    await node.until(() => answers.length === 2);
    expect(answers).toMatchObject([{ outcome: { kind: 'applied' } }, { outcome: { kind: 'unchanged' } }]);
    expect(motd(node)).toBe('two');

    let back: unknown;
    node.daemon.order({ what: 'roll-back' }).then((answer) => {
      back = answer;
    });
    await node.until(() => back !== undefined);
    expect([motd(node), back]).toMatchObject(['one', { outcome: { kind: 'applied' } }]);
    await node.fetchesAgain();
    expect(motd(node)).toBe('one');

    let mistake: unknown;
    node.daemon.order({ what: 'roll-back', to: 99 }).then((answer) => {
      mistake = answer;
    });
    await node.until(() => mistake !== undefined);
    expect(mistake).toMatchObject({ error: { code: 'node/no-such-generation' } });
  });

  it('answers an order when the metadata service does not answer, and keeps fetching', async () => {
    const node = await good();
    node.delivered = new MetadataFailure('metadata/refused', 'refused');
    let answer: unknown;
    node.daemon.order({ what: 'apply', origin: 'test' }).then((result) => {
      answer = result;
    });
    await node.until(() => answer !== undefined);
    expect(answer).toEqual({ refused: { code: 'metadata/refused', detail: 'refused; gave up after 30 s' } });
    await node.fetchesAgain();
  });

  it('accepts an ordered document larger than metadata can be, and keeps it', async () => {
    const node = await good();
    const parts = Array.from({ length: 6 }, (_, i) => [`/etc/large-${i}`, { content: 'a '.repeat(8000) }]);
    const large = config(2, 'two', { files: { '/etc/motd-test': { content: 'two' }, ...Object.fromEntries(parts) } });
    let answer: unknown;
    node.daemon.order({ what: 'apply', document: large, origin: 'file x' }).then((result) => {
      answer = result;
    });
    await node.until(() => answer !== undefined);
    expect(answer).toMatchObject({ outcome: { kind: 'applied' } });
    const sinceMs = node.folder.clock.nowMs();
    await node.until(() => node.folder.clock.nowMs() > sinceMs + 700_000 && node.daemon.state().work === undefined);
    expect([motd(node), node.daemon.state().ofNode.code]).toEqual(['two', 'ok/applied']);
  });

  it('answers an order with an invalid document, and continues unchanged', async () => {
    const node = await good();
    let answer: unknown;
    node.daemon.order({ what: 'apply', document: Buffer.from('hello'), origin: 'file x' }).then((result) => {
      answer = result;
    });
    await node.until(() => answer !== undefined);
    expect(answer).toMatchObject({ refused: { code: expect.stringMatching(/^config\//) } });
    expect(node.phase).toBe('Applied ok/applied');
  });

  it('never outputs a secret of the document', async () => {
    const secrets = ['h1dd3n-t0ken', 'h1dd3n-f1le', 'h1dd3n-pr0xy'];
    const node = start({
      delivered: config(1, 'one', {
        join: {
          token: {
            token: `abcdef.${'h1dd3n-t0ken'
              .replace(/[^a-z0-9]/g, '')
              .padEnd(16, '0')
              .slice(0, 16)}`,
          },
        },
        proxy: { http: `http://me:${secrets[2]}@proxy:3128` },
        files: { '/etc/key': { content: secrets[1]!, secret: true }, '/etc/motd-test': { content: 'one' } },
      }),
    });
    await node.until(() => node.readyAtPhase.length === 1);
    node.folder.join();
    keepsBeating(node);
    await node.reach('Applied');
    node.delivered = config(2, 'two', {
      kubelet: { maxPods: secrets[1]! },
      files: { '/etc/key': { content: 7, mode: secrets[2]! } },
    });
    await node.reach('Blocked');
    const all = node.output.join('\n');
    for (const secret of [...secrets, 'h1dd3nt0ken']) expect(all.includes(secret), secret).toBe(false);
  });

  it('stops in any phase when it is aborted', async () => {
    for (const endAt of ['Fetching', 'Applying', 'Verifying']) {
      const node = start({ delivered: config(1, 'one'), endAt });
      await node.ended();
      expect(node.daemon.state().work).toBeUndefined();
      // The state is consistent: the next daemon continues from it.
      const next = start({ folder: node.folder, delivered: config(1, 'one') });
      await next.until(() => next.readyAtPhase.length === 1);
      expect(motd(next)).toBe('one');
      await next.stop();
    }
  });
});
