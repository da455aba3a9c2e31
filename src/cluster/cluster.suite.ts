// cluster/cluster.suite.ts: the contract tests of Cluster. Each implementation provides a lab to run them in.
import { describe, expect, it } from 'vitest';
import { Conflict } from '../base/failures.ts';
import type { BootstrapToken, Cluster, Node, Pod, ScriptResult } from './cluster.ts';
import { LeaseHeld } from './lease-held.ts';

export interface ClusterLab {
  cluster: Cluster;
  /** Prefix of every name, for labs that share a cluster. */
  prefix: string;
  addNode(name: string): Promise<void>;
  removeNode(name: string): Promise<void>;
  /** Another client changes the node. */
  touchNode(name: string): Promise<void>;
  pass(ms: number): Promise<void>;
  /** Absent if nodes have no pods. The owner exists. */
  addPod?(pod: { nodeName: string; name: string; ownerKind?: string }): Promise<void>;
  /** Absent if there are no tokens. The cluster may read them. */
  tokens?: {
    cluster: Cluster;
    add(token: { id: string; secret: string } & BootstrapToken): Promise<void>;
  };
  /** Absent if scripts cannot be run. */
  answerScripts?(answer: (nodeName: string, script: string) => ScriptResult): void;
}

export function clusterContract(name: string, makeLab: () => Promise<ClusterLab>): void {
  describe(`${name} as a cluster`, () => {
    describe('nodes', () => nodeContract(makeLab));
    describe('leases', () => leaseContract(makeLab));
    describe('secrets', () => secretContract(makeLab));
    describe('bootstrap tokens', () => tokenContract(makeLab));
    describe('pods and scripts', () => podContract(makeLab));
  });
}

async function nodeIn(lab: ClusterLab): Promise<Node> {
  const name = `${lab.prefix}n1`;
  await lab.addNode(name);
  return read(lab, name);
}

async function read(lab: ClusterLab, name: string): Promise<Node> {
  const node = await lab.cluster.readNode(name);
  expect(node).toBeDefined();
  return node!;
}

function nodeContract(makeLab: () => Promise<ClusterLab>): void {
  it('returns undefined for an unknown node, and lists the existing ones', async () => {
    const lab = await makeLab();
    expect(await lab.cluster.readNode(`${lab.prefix}nobody`)).toBeUndefined();
    const node = await nodeIn(lab);
    expect((await lab.cluster.listNodes()).find(({ name }) => name === node.name)).toMatchObject({ uid: node.uid });
  });

  it('annotates and cordons in one change, and undoes both', async () => {
    const lab = await makeLab();
    const { name } = await nodeIn(lab);
    const note = JSON.stringify({ text: `"ü" ${'long '.repeat(100)}` });
    const annotations = { 'example.com/a': note, 'example.com/b': 'kept' };
    await lab.cluster.changeNode(await read(lab, name), { isUnschedulable: true, annotations });
    expect(await read(lab, name)).toMatchObject({ isUnschedulable: true, annotations });

    const back = { isUnschedulable: false, annotations: { 'example.com/a': null } };
    await lab.cluster.changeNode(await read(lab, name), back);
    const node = await read(lab, name);
    expect(node.isUnschedulable).toBe(false);
    expect(node.annotations['example.com/a']).toBeUndefined();
    expect(node.annotations['example.com/b']).toBe('kept');
  });

  it('refuses a change of a node that changed since it was read', async () => {
    const lab = await makeLab();
    const node = await nodeIn(lab);
    await lab.touchNode(node.name);
    await expect(lab.cluster.changeNode(node, { isUnschedulable: true })).rejects.toBeInstanceOf(Conflict);
    expect((await read(lab, node.name)).isUnschedulable).toBe(false);
  });

  it('refuses a change of a node that is gone or was replaced by one of the same name', async () => {
    const lab = await makeLab();
    const node = await nodeIn(lab);
    await lab.removeNode(node.name);
    await expect(lab.cluster.changeNode(node, { isUnschedulable: true })).rejects.toBeInstanceOf(Conflict);
    await lab.addNode(node.name);
    expect((await read(lab, node.name)).uid).not.toBe(node.uid);
    await expect(lab.cluster.changeNode(node, { isUnschedulable: true })).rejects.toBeInstanceOf(Conflict);
    expect((await read(lab, node.name)).isUnschedulable).toBe(false);
  });
}

const HOLD = { durationMs: 60_000, note: 'a prototype of n1' };

function leaseContract(makeLab: () => Promise<ClusterLab>): void {
  it('is held by its first holder, and the error for the next names that holder', async () => {
    const { cluster, prefix } = await makeLab();
    const name = `${prefix}lease`;
    expect(await cluster.readLease(name)).toBeUndefined();
    await cluster.holdLease(name, { holder: 'run-1', ...HOLD });
    expect(await cluster.readLease(name)).toMatchObject({ holder: 'run-1', ...HOLD });
    const refused = await cluster.holdLease(name, { holder: 'run-2', ...HOLD }).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(LeaseHeld);
    expect((refused as LeaseHeld).message).toContain('run-1');
    expect((refused as LeaseHeld).message).toContain(HOLD.note);
  });

  it('is renewed by its holder', async () => {
    const { cluster, prefix, pass } = await makeLab();
    const name = `${prefix}lease`;
    await cluster.holdLease(name, { holder: 'run-1', ...HOLD });
    const first = await cluster.readLease(name);
    await pass(2_000);
    await cluster.holdLease(name, { holder: 'run-1', ...HOLD, note: 'further on' });
    const second = await cluster.readLease(name);
    expect(second!.renewedMs).toBeGreaterThan(first!.renewedMs);
    expect(second!.note).toBe('further on');
  });

  it('is taken over once it has expired, and its former holder notices', async () => {
    const { cluster, prefix, pass } = await makeLab();
    const name = `${prefix}lease`;
    await cluster.holdLease(name, { holder: 'run-1', ...HOLD, durationMs: 1_000 });
    await pass(5_000);
    await cluster.holdLease(name, { holder: 'run-2', ...HOLD });
    expect(await cluster.readLease(name)).toMatchObject({ holder: 'run-2' });
    await expect(cluster.holdLease(name, { holder: 'run-1', ...HOLD })).rejects.toBeInstanceOf(LeaseHeld);
  });

  it('is released by its holder only', async () => {
    const { cluster, prefix } = await makeLab();
    const name = `${prefix}lease`;
    await cluster.releaseLease(name, 'run-1');
    await cluster.holdLease(name, { holder: 'run-1', ...HOLD });
    await cluster.releaseLease(name, 'run-2');
    expect(await cluster.readLease(name)).toMatchObject({ holder: 'run-1' });
    await cluster.releaseLease(name, 'run-1');
    await cluster.holdLease(name, { holder: 'run-2', ...HOLD });
    expect(await cluster.readLease(name)).toMatchObject({ holder: 'run-2' });
  });

  it('goes to exactly one of many concurrent callers', async () => {
    const { cluster, prefix } = await makeLab();
    const holders = ['run-1', 'run-2', 'run-3', 'run-4', 'run-5'];
    const tries = await Promise.allSettled(
      holders.map((holder) => cluster.holdLease(`${prefix}lease`, { holder, ...HOLD })),
    );
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    const winner = holders[tries.findIndex(({ status }) => status === 'fulfilled')];
    expect(await cluster.readLease(`${prefix}lease`)).toMatchObject({ holder: winner });
  });
}

function secretContract(makeLab: () => Promise<ClusterLab>): void {
  it('are stored unchanged, replaced as a whole, and deleted', async () => {
    const { cluster, prefix } = await makeLab();
    const name = `${prefix}secret`;
    expect(await cluster.readSecret(name)).toBeUndefined();
    const values = { recipe: '{"a": "ü\\n"}\n', other: '' };
    await cluster.writeSecret(name, values);
    expect(await cluster.readSecret(name)).toEqual(values);
    await cluster.writeSecret(name, { recipe: 'second' });
    expect(await cluster.readSecret(name)).toEqual({ recipe: 'second' });
    await cluster.deleteSecret(name);
    await cluster.deleteSecret(name);
    expect(await cluster.readSecret(name)).toBeUndefined();
  });
}

function tokenContract(makeLab: () => Promise<ClusterLab>): void {
  it('are undefined until they are created, for any id', async () => {
    const { cluster, tokens } = await makeLab();
    for (const id of ['nobody', '', '../../x', 'UPPER1', 'abcdef.0123456789abcdef'])
      expect(await (tokens?.cluster ?? cluster).readBootstrapToken(id)).toBeUndefined();
  });

  it('have only an expiry and a usage', async () => {
    const { tokens } = await makeLab();
    if (!tokens) return;
    const expiresMs = Date.parse('2126-01-01T00:00:00Z');
    const made = [
      ['aaaaa1', { expiresMs, isForJoining: true }],
      ['aaaaa2', { isForJoining: true }],
      ['aaaaa3', { expiresMs, isForJoining: false }],
    ] as const;
    for (const [id, token] of made) {
      await tokens.add({ id, secret: '0123456789abcdef', ...token });
      expect(await tokens.cluster.readBootstrapToken(id)).toEqual(token);
    }
  });
}

function podContract(makeLab: () => Promise<ClusterLab>): void {
  it('lists the pods of one node, and an evicted pod disappears', async () => {
    const lab = await makeLab();
    if (!lab.addPod) return expect(await lab.cluster.listPods((await nodeIn(lab)).name)).toEqual([]);
    const { name: nodeName } = await nodeIn(lab);
    await lab.addNode(`${lab.prefix}n2`);
    await lab.addPod({ nodeName, name: `${lab.prefix}here`, ownerKind: 'ReplicaSet' });
    await lab.addPod({ nodeName: `${lab.prefix}n2`, name: `${lab.prefix}there` });
    const [pod, ...others] = await lab.cluster.listPods(nodeName);
    expect(others).toEqual([]);
    expect(pod).toMatchObject({
      name: `${lab.prefix}here`,
      ownerKind: 'ReplicaSet',
      ownerExists: true,
      isMirror: false,
    });
    expect(await lab.cluster.evict(pod!, undefined)).toEqual({ outcome: 'evicted' });
    await untilGone(lab, nodeName, pod!);
    expect(await lab.cluster.evict(pod!, undefined)).toEqual({ outcome: 'gone' });
  });

  it('does not evict a new pod of the same name', async () => {
    const lab = await makeLab();
    if (!lab.addPod) return;
    const { name: nodeName } = await nodeIn(lab);
    await lab.addPod({ nodeName, name: `${lab.prefix}again` });
    const [first] = await lab.cluster.listPods(nodeName);
    await lab.cluster.deletePod(first!, 0);
    await lab.cluster.deletePod(first!, 0);
    await untilGone(lab, nodeName, first!);
    await lab.addPod({ nodeName, name: `${lab.prefix}again` });
    expect(await lab.cluster.evict(first!, 0)).toEqual({ outcome: 'gone' });
    await lab.cluster.deletePod(first!, 0);
    const [second] = await lab.cluster.listPods(nodeName);
    expect(second).toMatchObject({ name: first!.name });
    expect(second!.deletionMs).toBeUndefined();
  });

  it('returns output and exit code of a script, repeatedly', async () => {
    const lab = await makeLab();
    if (!lab.answerScripts) return;
    const { name } = await nodeIn(lab);
    const asked: string[] = [];
    const answers: ScriptResult[] = [
      { exitCode: 0, stdout: 'ü\nsecond line without an end', stderr: '' },
      { exitCode: 3, stdout: '', stderr: 'no such file\n' },
      { exitCode: 0, stdout: 'x'.repeat(100_000), stderr: '\0' },
    ];
    lab.answerScripts((nodeName, script) => {
      asked.push(`${nodeName}: ${script}`);
      return answers[asked.length - 1]!;
    });
    for (const [i, answer] of answers.entries()) {
      expect(await lab.cluster.runOnNode(name, `echo '${i}' "$HOME"`, { deadlineMs: 60_000 })).toEqual(answer);
    }
    expect(asked).toEqual(answers.map((_, i) => `${name}: echo '${i}' "$HOME"`));
    expect(await lab.cluster.listPods(name)).toEqual([]);
  });
}

async function untilGone(lab: ClusterLab, nodeName: string, pod: Pod): Promise<void> {
  for (let look = 0; look < 100; look++) {
    if (!(await lab.cluster.listPods(nodeName)).some(({ uid }) => uid === pod.uid)) return;
    await lab.pass(200);
  }
  expect.unreachable(`${pod.name} is still there`);
}
