import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseTarGzip } from 'nanotar';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Forbidden } from '../../base/failures.ts';
import { addSmallNode, createFakeMachine, type FakeMachine } from '../../boot/collect/testing.ts';
import type { NodeReader } from '../../cluster/cluster.ts';
import { run, runVerb } from '../testing.ts';
import { bootCollect } from './collect.ts';

let fake: FakeMachine;
let folder: string;
beforeEach(() => {
  fake = createFakeMachine();
  folder = mkdtempSync(join(tmpdir(), 'node-'));
  addSmallNode(fake, { secret: 'hunter22' });
});
afterEach(() => {
  fake.remove();
  rmSync(folder, { recursive: true });
});

const NODE = {
  apiVersion: 'v1',
  kind: 'Node',
  metadata: {
    name: 'node-a',
    labels: { 'kubernetes.io/hostname': 'host-a' },
    creationTimestamp: '2026-11-15T21:08:40Z',
  },
  status: {
    nodeInfo: { bootID: '46bc72e7-a99d-4d42-9784-493dd92e074f' },
    conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: '2026-11-15T21:08:50Z' }],
  },
};

function collect(argv: string[], over: Partial<NodeReader> = {}, signal?: AbortSignal) {
  const reader: NodeReader = {
    readObject: async (name) => (name === 'node-a' ? JSON.stringify(NODE) : undefined),
    runReadOnly: async (_, script) => execFileSync('sh', ['-c', script], { env: fake.env, maxBuffer: 1 << 28 }),
    ...over,
  };
  const verb = bootCollect(
    async () => expect.fail('no pool is read'),
    undefined,
    async () => reader,
  );
  return runVerb(verb, argv, { env: fake.env, ...(signal && { signal }) });
}

describe('boot collect --node', () => {
  it('collects the files of the node and its object, without secrets, under the name of the host', async () => {
    const bundle = join(folder, 'b.tar.gz');
    const ran = await collect(['--node', 'node-a', '-o', bundle]);
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain('a read-only pod in namespace kube-system with image busybox:stable');
    const members = await parseTarGzip(readFileSync(bundle));
    const text = (name: string) => members.find((member) => member.name === name)?.text;
    expect(text('uname.txt')).toContain('Linux host-a 6.1');
    expect(text('kubernetes-node.json')).toContain('"Ready"');
    expect(JSON.stringify(members.map((member) => member.text))).not.toContain('hunter22');
    const timeline = await run(['boot', 'timeline', bundle, '--json']);
    expect(JSON.parse(timeline.stdout)).toMatchObject({ endsAt: 'node-ready' });
  });

  it('collects without the object if it may not be read', async () => {
    const readObject = async () => {
      throw new Forbidden('may not get nodes', undefined);
    };
    const ran = await collect(['--node', 'node-a', '-o', join(folder, 'b.tar.gz')], { readObject });
    expect([ran.code, ran.stderr]).toEqual([0, expect.stringContaining('without kubernetes-node.json: may not get')]);
  });

  it('creates no pod for a node that does not exist', async () => {
    const runReadOnly = async () => expect.fail('a pod was created');
    const ran = await collect(['--node', 'node-b'], { runReadOnly });
    expect([ran.code, ran.stderr]).toEqual([2, expect.stringContaining('there is no node node-b')]);
  });

  it('ends as interrupted after Ctrl-C, and writes nothing', async () => {
    const pressed = new AbortController();
    const runReadOnly = async () => {
      pressed.abort();
      throw new Error('aborted');
    };
    const ran = await collect(['--node', 'node-a'], { runReadOnly }, pressed.signal);
    expect(ran).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('interrupted') });
  });

  it('shows what it would do with --dry-run, and refuses options that do not go with it', async () => {
    const { stdout } = await collect(['--node', 'node-a', '--dry-run', '--helper-image', 'mine']);
    expect(stdout).toContain('over: a read-only pod in namespace kube-system with image mine on node-a\n');
    expect((await collect(['--node', 'node-a', '--host', 'x'])).code).toBe(2);
    expect((await collect(['--node', 'node-a', '--timeout', 'long'])).stderr).toContain('not a time span');
  });
});
