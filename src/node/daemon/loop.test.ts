// Whole lives of a daemon on a folder that stands in for a node: a real store, a real disk, no waiting.
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

/** A node that runs generation 1, known to be good. */
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

describe('a daemon whose memory is damaged', () => {
  const damage = (node: TestNode, text: string) => node.folder.put('/var/lib/headstart/node/state', text);

  it('lets kubelet start with what is on the disk, says what is wrong, and takes up again once it is repaired', async () => {
    const before = await good();
    await before.stop();
    const state = before.folder.text('/var/lib/headstart/node/state')!;
    damage(before, '{"token": "s3cret"');
    const node = start({ folder: before.folder, delivered: new MetadataFailure('metadata/unreachable', 'nobody') });
    await node.until(() => node.readyAtPhase.length === 1);
    await node.looksAgain();
    expect(node.phase).toBe('Degraded apply/memory-unreadable');
    expect(node.said.join('\n')).not.toContain('s3cret');
    damage(node, state);
    await node.reach('Applied');
    expect(node.readyAtPhase).toEqual(['Degraded']);
  });

  it('says so, and keeps kubelet from starting, where nothing of ours is there for it or all of it is of another machine', async () => {
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

describe('a daemon', () => {
  it('makes a machine a node from its metadata alone, and lets kubelet start before anything else', async () => {
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

  it('updates it in place when its metadata change, and says nothing while they do not', async () => {
    const node = await good();
    const said = node.statuses.length;
    await node.looksAgain();
    await node.looksAgain();
    expect(node.statuses.length).toBe(said);
    node.delivered = config(2, 'two');
    await node.until(() => node.statuses.at(-1)!.lastKnownGood?.generation === 2);
    expect([motd(node), node.phase]).toEqual(['two', 'Applied ok/applied']);
  });

  it('takes back what does harm, does not try it again, and takes the next one', async () => {
    const node = await good();
    node.folder.health.kubelet = false;
    node.delivered = config(2, 'two');
    await node.reach('RolledBack');
    expect(motd(node)).toBe('one');
    node.folder.health.kubelet = true;
    await node.looksAgain();
    await node.looksAgain();
    expect([motd(node), node.phase.split(' ')[0]]).toEqual(['one', 'RolledBack']);
    node.delivered = config(3, 'three');
    await node.until(() => node.statuses.at(-1)!.lastKnownGood?.generation === 3);
    expect(motd(node)).toBe('three');
  });

  it.each([
    ['is not one', Buffer.from('#cloud-config\n'), 'Blocked config/not-a-node-config'],
    ['is cut off', config(2, 'two').subarray(0, 60), 'Blocked config/'],
    ['goes backwards', config(1, 'other'), 'Blocked config/generation-reused'],
    [
      'is for another version',
      config(2, 'two', { kubernetes: { version: '1.99.0' } }),
      'Blocked config/other-kubernetes-version',
    ],
  ])('keeps what runs when the document %s', async (_, bytes, phase) => {
    const node = await good();
    node.delivered = bytes;
    await node.reach(phase);
    expect(motd(node)).toBe('one');
    node.delivered = config(1, 'one');
    await node.reach('Applied');
  });

  it('keeps what runs when the document disappears, or nobody answers, and says so', async () => {
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

  it('puts right after a reboot what did not outlive it, also where changes wait for a person', async () => {
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

  it('finds what somebody else changed, and reports it or puts it back as the document says', async () => {
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

  it('does not take what was configured for the machine it was copied from for its own', async () => {
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
    node.delivered = config(1, 'for the clone'); // the same generation: it is another node's document
    await node.until(() => node.readyAtPhase.length === 1);
    expect(motd(node)).toBe('for the clone');
  });

  it('does what people order, once, and answers each of them', async () => {
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
    await node.looksAgain();
    expect(motd(node)).toBe('one');

    let mistake: unknown;
    node.daemon.order({ what: 'roll-back', to: 99 }).then((answer) => {
      mistake = answer;
    });
    await node.until(() => mistake !== undefined);
    expect(mistake).toMatchObject({ error: { code: 'node/no-such-generation' } });
  });

  it('answers a person when the metadata service does not, and goes on asking for itself', async () => {
    const node = await good();
    node.delivered = new MetadataFailure('metadata/refused', 'refused');
    let answer: unknown;
    node.daemon.order({ what: 'apply', origin: 'test' }).then((told) => {
      answer = told;
    });
    await node.until(() => answer !== undefined);
    expect(answer).toEqual({ refused: { code: 'metadata/refused', detail: 'refused, for 30 s' } });
    await node.looksAgain();
  });

  it('takes a document from a person that is larger than metadata can be, and goes on with it', async () => {
    const node = await good();
    const parts = Array.from({ length: 6 }, (_, i) => [`/etc/large-${i}`, { content: 'a '.repeat(8000) }]);
    const large = config(2, 'two', { files: { '/etc/motd-test': { content: 'two' }, ...Object.fromEntries(parts) } });
    let answer: unknown;
    node.daemon.order({ what: 'apply', document: large, origin: 'file x' }).then((told) => {
      answer = told;
    });
    await node.until(() => answer !== undefined);
    expect(answer).toMatchObject({ outcome: { kind: 'applied' } });
    const sinceMs = node.folder.clock.nowMs();
    await node.until(() => node.folder.clock.nowMs() > sinceMs + 700_000 && node.daemon.state().work === undefined);
    expect([motd(node), node.daemon.state().ofNode.code]).toEqual(['two', 'ok/applied']);
  });

  it('answers a person who brings a document that is wrong, and goes on as before', async () => {
    const node = await good();
    let answer: unknown;
    node.daemon.order({ what: 'apply', document: Buffer.from('hello'), origin: 'file x' }).then((told) => {
      answer = told;
    });
    await node.until(() => answer !== undefined);
    expect(answer).toMatchObject({ refused: { code: expect.stringMatching(/^config\//) } });
    expect(node.phase).toBe('Applied ok/applied');
  });

  it('says no secret of the document, in no way', async () => {
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
    const all = node.said.join('\n');
    for (const secret of [...secrets, 'h1dd3nt0ken']) expect(all.includes(secret), secret).toBe(false);
  });

  it('ends when it is told to, in the middle of anything', async () => {
    for (const endAt of ['Fetching', 'Applying', 'Verifying']) {
      const node = start({ delivered: config(1, 'one'), endAt });
      await node.ended();
      expect(node.daemon.state().work).toBeUndefined();
      // What was begun is whole: the next daemon goes on from there.
      const next = start({ folder: node.folder, delivered: config(1, 'one') });
      await next.until(() => next.readyAtPhase.length === 1);
      expect(motd(next)).toBe('one');
      await next.stop();
    }
  });
});
