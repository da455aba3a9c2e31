// The verbs that are called on a node, on a folder that stands in for one. What only root can do is left to the daemon's own tests.
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NodeFolder } from '../../node/apply/node-folder.testing.ts';
import { openNodeStore } from '../../node/apply/store.ts';
import { INITIAL } from '../../node/daemon/machine.ts';
import { readAssignment } from '../../node/daemon/read.ts';
import type { DaemonState } from '../../node/daemon/state.ts';
import { aDocument, anImage, bytesOf } from '../../node/document/documents.testing.ts';
import { RELEASE_FILE } from '../../node/observe/facts.ts';
import { STATUS_PATH } from '../../node/status/files.ts';
import { statusOf } from '../../node/status/node-status.ts';
import { listenOnSocket, type SocketServer } from '../../node/triggers/socket.ts';
import type { JsonObject } from '../../schema/json.ts';
import { run } from '../testing.ts';

let programs: string;
let folder: NodeFolder;
let daemon: SocketServer | undefined;
const path = process.env.PATH;

/** No systemd and no firewall of this machine is asked or told anything. */
beforeAll(() => {
  programs = mkdtempSync(join(tmpdir(), 'hs-bin-'));
  for (const name of ['systemctl', 'nft']) {
    writeFileSync(join(programs, name), '#!/bin/sh\nexit 0\n');
    chmodSync(join(programs, name), 0o755);
  }
  process.env.PATH = `${programs}${delimiter}${path}`;
});
afterAll(() => {
  process.env.PATH = path;
  rmSync(programs, { recursive: true });
});

beforeEach(() => {
  folder = new NodeFolder();
  folder.put(`/${RELEASE_FILE}`, JSON.stringify({ apiVersion: 'headstart.dev/v1', kind: 'ImageRelease', ...anImage }));
});
afterEach(async () => {
  await daemon?.close();
  daemon = undefined;
  folder.remove();
});

const node = (verb: string, ...more: string[]) => run(['node', verb, ...more, '--root', folder.root]);
const document = (generation: number, spec: JsonObject = {}) =>
  aDocument({ files: { '/etc/test': { content: `${generation}` } }, ...spec }, { generation });

function file(content: JsonObject): string {
  const place = join(folder.folder, 'document.json');
  writeFileSync(place, JSON.stringify(content));
  return place;
}

/** As the daemon would have applied it. */
async function applied(...generations: number[]): Promise<void> {
  const store = openNodeStore(folder.edges());
  for (const generation of generations) {
    const context = { image: anImage, machine: { cpus: 4, memoryBytes: 2 ** 34 }, overrides: [] };
    const toRead = {
      document: bytesOf(document(generation)),
      origin: 'test',
      instance: { platform: 'file', addresses: [], tags: {} } as const,
    };
    const read = await readAssignment(toRead, context, { nowMs: folder.clock.nowMs() });
    if ('why' in read) throw new Error(read.why.detail);
    expect((await store.apply(read.assignment, { isOrdered: true })).kind).toBe('applied');
  }
}

function says(state: Partial<DaemonState>): void {
  const status = statusOf({ ...INITIAL, ...state }, { source: 'test', daemon: { pid: 7, startedAt: 'x' }, skewMs: 0 });
  mkdirSync(join(folder.root, 'run/headstart'), { recursive: true });
  writeFileSync(
    join(folder.root, STATUS_PATH),
    JSON.stringify({ apiVersion: 'headstart.dev/v1', kind: 'NodeStatus', ...status }),
  );
}

async function daemonThat(answers: (request: JsonObject) => object): Promise<JsonObject[]> {
  const heard: JsonObject[] = [];
  daemon = await listenOnSocket(folder.root, async (request) => {
    heard.push(request);
    return answers(request);
  });
  return heard;
}

const APPLIED: Partial<DaemonState> = {
  isReady: true,
  ofNode: { phase: 'Applied', code: 'ok/applied', detail: 'the node runs generation 7' },
  slots: { active: { number: 1, generation: 7, hash: 'h', documentHash: 'abcdef0123456789', atMs: 0 }, bad: [] },
};

describe('headstart node status', () => {
  it('says that nobody has said anything, with the next step', async () => {
    expect(await node('status')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('node/no-status'),
    });
  });

  it('tells what the daemon said last when it does not run', async () => {
    says({ ...APPLIED, notes: [{ code: 'config/disappeared', detail: 'it is gone' }] });
    const { code, stdout } = await node('status');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^Applied: the node runs generation 7 \(ok\/applied\)\n/);
    expect(stdout).toMatch(/^runs +7 .*abcdef012345\n/m);
    expect(stdout).toContain('note:  the daemon does not run');
    expect(stdout).toContain('note:  it is gone (config/disappeared)');
    expect(JSON.parse((await node('status', '--json')).stdout)).toMatchObject({
      kind: 'NodeStatus',
      phase: 'Applied',
      isRunning: false,
    });
  });

  it('asks the daemon when one runs', async () => {
    says(APPLIED);
    const status = statusOf(
      { ...INITIAL, ofNode: { phase: 'Degraded', code: 'apply/disk-full', detail: 'full' } },
      { source: 't', daemon: { pid: 1, startedAt: 'x' }, skewMs: 0 },
    );
    await daemonThat(() => ({ status }));
    const { stdout } = await node('status');
    expect(stdout).toContain('Degraded: full (apply/disk-full)');
    expect(stdout).toContain('next:  free some space on the node');
    expect(stdout).not.toContain('does not run');
  });
});

describe('headstart node wait', () => {
  it('exits 0 when it is so, and tells what it waited for', async () => {
    says(APPLIED);
    for (const goal of ['ready', 'applied', 'generation=7'])
      expect(await node('wait', '--for', goal)).toMatchObject({ code: 0 });
  });

  it('exits 3 when it is not so in time, or cannot become so', async () => {
    expect(await node('wait', '--timeout', '0')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('not in time'),
    });
    says({ ...APPLIED, ofNode: { phase: 'RolledBack', code: 'verify/unit-failed', detail: 'x' } });
    const { code, stdout } = await node('wait', '--for', 'generation=8', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([3, { kind: 'NodeWait', isReached: false, why: 'cannot' }]);
  });

  it.each([
    ['--for', 'never'],
    ['--for', 'generation=0'],
    ['--timeout', 'soon'],
  ])('exits 2 for %s %s', async (option, value) => {
    expect((await node('wait', option, value)).code).toBe(2);
  });
});

describe('headstart node history and rollback', () => {
  it('show nothing where nothing was applied', async () => {
    expect(await node('history')).toMatchObject({ code: 0, stdout: 'nothing was applied on this node so far\n' });
    expect(await node('rollback', '--dry-run')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('node/no-such-generation'),
    });
  });

  it('tell what was applied, the newest first, and where a way back leads', async () => {
    await applied(3, 4);
    const { stdout } = await node('history');
    expect(stdout.split('\n').slice(1, 3)).toEqual([
      expect.stringMatching(/^ +2 +4 .* test +runs/),
      expect.stringMatching(/^ +1 +3 /),
    ]);
    const { generations } = JSON.parse((await node('history', '--json')).stdout) as { generations: object[] };
    expect(generations).toMatchObject([
      { number: 2, generation: 4, isActive: true },
      { number: 1, generation: 3, isActive: false },
    ]);
    const dry = await node('rollback', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stdout: expect.stringContaining('number 1: generation 3 from test') });
  });

  it('refuse what is not there or runs already, and what nobody confirmed', async () => {
    await applied(3, 4);
    for (const to of ['9', '2'])
      expect((await node('rollback', '--to', to, '--yes')).stderr).toContain('node/no-such-generation');
    expect(await node('rollback', '--to', 'x')).toMatchObject({ code: 2 });
    expect(await node('rollback')).toMatchObject({ code: 2, stderr: expect.stringContaining('cli/not-confirmed') });
  });

  it('let the daemon go back, and tell what came of it', async () => {
    await applied(3, 4);
    const heard = await daemonThat(({ do: what }) =>
      what === 'status' ? { status: {} } : { result: { kind: 'applied', code: 'verify/running', reason: 'x' } },
    );
    const { code, stdout } = await node('rollback', '--yes', '--json');
    expect([code, JSON.parse(stdout)]).toMatchObject([
      0,
      { kind: 'NodeRollback', outcome: 'applied', code: 'verify/running' },
    ]);
    expect(heard.at(-1)).toEqual({ do: 'roll-back', to: 1 });
  });
});

describe('headstart node plan', () => {
  it('shows what would change and that it may, and changes nothing', async () => {
    const before = folder.snapshot();
    const { code, stdout } = await node('plan', file(document(1)));
    expect(code).toBe(0);
    expect(stdout).toContain('+ /etc/test');
    expect(stdout).toMatch(/may be applied: /);
    expect(folder.snapshot()).toEqual(before);
  });

  it('exits 3 when it would be blocked, and has all of it for programs', async () => {
    mkdirSync(join(folder.root, 'etc/test'));
    const { code, stdout } = await node('plan', file(document(1)), '--json');
    expect(code).toBe(3);
    expect(JSON.parse(stdout)).toMatchObject({
      kind: 'NodePlan',
      generation: 1,
      verdict: { decision: 'blocked', code: 'plan/obstructed' },
    });
  });

  it('names every field of it in the documentation', async () => {
    const {
      kind,
      apiVersion: _,
      ...body
    } = JSON.parse((await node('plan', file(document(1)), '--json')).stdout) as Record<string, unknown>;
    const docs = readFileSync(new URL('../../../docs/json.md', import.meta.url), 'utf8');
    const section = docs.split(/^## /m).find((text) => text.startsWith(`${kind}\n`));
    for (const field of Object.keys(body)) expect(section).toContain(`\`${field}\``);
  });

  it('exits 2 for a document that the node would not take, with every problem', async () => {
    const { code, stdout, stderr } = await node(
      'plan',
      file(document(1, { kubernetes: { version: '1.99.0' }, kubelet: { maxPods: 0 } })),
    );
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('1.99.0 is not 1.34.2');
    expect(stderr).toContain('spec.kubelet.maxPods: 0 is below 1');
  });

  it('exits 1 when there is no document to be had', async () => {
    expect(await node('plan')).toMatchObject({ code: 1, stderr: expect.stringContaining('metadata/no-user-data') });
  });
});

describe('headstart node apply', () => {
  const ok = ({ do: what }: JsonObject) =>
    what === 'status'
      ? { status: {} }
      : { result: { kind: 'applied', code: 'verify/running', reason: 'done', changes: 3 } };

  it('needs a daemon, or to be told to do it itself, and never both', async () => {
    expect(await node('apply', file(document(1)))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('node/no-daemon'),
    });
    await daemonThat(ok);
    expect(await node('apply', file(document(1)), '--once')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('node/daemon-runs'),
    });
  });

  it('gives the daemon the very document that was planned', async () => {
    const heard = await daemonThat(ok);
    const { code, stdout, stderr } = await node('apply', file(document(1)));
    expect([code, stdout]).toEqual([0, 'applied: done (verify/running)\n']);
    expect(stderr).toContain(`next:  headstart node wait --root ${folder.root} --for applied`);
    const sent = Buffer.from(String(heard.at(-1)!.document), 'base64').toString();
    expect(JSON.parse(sent)).toEqual(document(1));
  });

  it.each([
    ['unchanged', 0],
    ['verified', 0],
    ['reverted', 3],
    ['refused', 3],
    ['failed', 1],
  ])('exits for what was %s with %i', async (kind, code) => {
    await daemonThat(({ do: what }) =>
      what === 'status' ? {} : { result: { kind, code: 'plan/drift', reason: 'x' } },
    );
    expect((await node('apply', file(document(1)), '--json')).code).toBe(code);
  });

  it('prints the plan and asks nobody with --dry-run', async () => {
    const heard = await daemonThat(ok);
    expect(await node('apply', file(document(1)), '--dry-run')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('+ /etc/test'),
    });
    expect(heard).toEqual([]);
  });

  it('does not order what nobody may do on a node', async () => {
    const heard = await daemonThat(ok);
    mkdirSync(join(folder.root, 'etc/test'));
    expect(await node('apply', file(document(1)), '--yes')).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('plan/obstructed'),
    });
    expect(heard).toEqual([]);
  });

  it('keeps what is on trial', async () => {
    const heard = await daemonThat(ok);
    expect((await node('apply', '--keep')).code).toBe(0);
    expect(heard.at(-1)).toEqual({ do: 'keep' });
    expect((await node('apply', file(document(1)), '--keep')).code).toBe(2);
  });
});

describe('headstart node run', () => {
  it('says something first, tells what it is at line by line, answers on its socket, and ends when told', async () => {
    const stop = new AbortController();
    const ran = run(['node', 'run', '--root', folder.root, '--json'], { signal: stop.signal });
    const status = async (): Promise<string> => {
      const { code, stdout } = await node('status', '--json');
      return code === 0 ? String((JSON.parse(stdout) as { code: string }).code) : '';
    };
    while ((await status()) !== 'metadata/no-user-data') await new Promise((resolve) => setImmediate(resolve));
    stop.abort();
    const { code, stdout, stderr } = await ran;
    expect(code).toBe(0);
    expect(stderr.split('\n')[0]).toMatch(/^headstart node starts pid=\d+$/);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as { kind: string; phase: string });
    expect(lines.every(({ kind }) => kind === 'NodeStatus')).toBe(true);
    expect(lines.at(-1)).toMatchObject({ phase: 'Idle', code: 'metadata/no-user-data', isReady: false });
  });

  it.each([
    ['--platform', 'moon'],
    ['--metadata-url', 'https://user@host/path'],
  ])('exits 2 for %s %s', async (option, value) => {
    expect((await node('run', option, value)).code).toBe(2);
  });
});
