// cli/node/on-node.testing.ts: a folder that stands in for a node, for the verbs that are called on one. What only root can do is left to the
// daemon's own tests.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
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
/** Another one for each test. */
export let folder: NodeFolder;
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

export const node = (verb: string, ...more: string[]) => run(['node', verb, ...more, '--root', folder.root]);
export const document = (generation: number, spec: JsonObject = {}) =>
  aDocument({ files: { '/etc/test': { content: `${generation}` } }, ...spec }, { generation });

export function file(content: JsonObject): string {
  const place = join(folder.folder, 'document.json');
  writeFileSync(place, JSON.stringify(content));
  return place;
}

/** As the daemon would have applied it. */
export async function applied(...generations: number[]): Promise<void> {
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

export function says(state: Partial<DaemonState>): void {
  const status = statusOf({ ...INITIAL, ...state }, { source: 'test', daemon: { pid: 7, startedAt: 'x' }, skewMs: 0 });
  mkdirSync(join(folder.root, 'run/headstart'), { recursive: true });
  writeFileSync(
    join(folder.root, STATUS_PATH),
    JSON.stringify({ apiVersion: 'headstart.dev/v1', kind: 'NodeStatus', ...status }),
  );
}

export async function daemonThat(answers: (request: JsonObject) => object): Promise<JsonObject[]> {
  const heard: JsonObject[] = [];
  daemon = await listenOnSocket(folder.root, async (request) => {
    heard.push(request);
    return answers(request);
  });
  return heard;
}

export const APPLIED: Partial<DaemonState> = {
  isReady: true,
  ofNode: { phase: 'Applied', code: 'ok/applied', detail: 'the node runs generation 7' },
  slots: { active: { number: 1, generation: 7, hash: 'h', documentHash: 'abcdef0123456789', atMs: 0 }, bad: [] },
};
