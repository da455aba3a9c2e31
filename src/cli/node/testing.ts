// cli/node/testing.ts: a folder used as a node, and a fake daemon. The daemon's own tests cover what needs root.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import { NodeFolder } from '../../node/apply/node-folder.testing.ts';
import { openNodeStore } from '../../node/apply/store.ts';
import { INITIAL } from '../../node/daemon/machine.ts';
import { readAssignment } from '../../node/daemon/read-assignment.ts';
import type { DaemonState } from '../../node/daemon/state.ts';
import { aDocument, anImage, bytesOf } from '../../node/document/documents.testing.ts';
import { RELEASE_FILE } from '../../node/observe/facts.ts';
import { STATUS_PATH } from '../../node/status/files.ts';
import { statusOf } from '../../node/status/node-status.ts';
import { listenOnSocket, type SocketServer } from '../../node/triggers/socket.ts';
import type { JsonObject } from '../../schema/json.ts';
import { run } from '../testing.ts';

export interface NodeStandIn {
  readonly folder: NodeFolder;
  node(verb: string, ...more: string[]): ReturnType<typeof run>;
  /** Writes a document to a file; returns the path. */
  file(content: JsonObject): string;
  /** Applies these generations like the daemon does. */
  applied(...generations: number[]): Promise<void>;
  /** Writes the last status of a daemon that no longer runs. */
  says(state: Partial<DaemonState>): void;
  daemonThat(answers: (request: JsonObject) => object): Promise<JsonObject[]>;
}

export const document = (generation: number, spec: JsonObject = {}) =>
  aDocument({ files: { '/etc/test': { content: `${generation}` } }, ...spec }, { generation });

export const APPLIED: Partial<DaemonState> = {
  isReady: true,
  ofNode: { phase: 'Applied', code: 'ok/applied', detail: 'the node runs generation 7' },
  slots: { active: { number: 1, generation: 7, hash: 'h', documentHash: 'abcdef0123456789', atMs: 0 }, bad: [] },
};

/** A new one for each test of the file. `systemctl` and `nft` are replaced: the tests must not touch this machine. */
export function nodeStandIn(): NodeStandIn {
  let programs: string;
  let folder: NodeFolder;
  let daemon: SocketServer | undefined;
  const path = process.env.PATH;

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
    const release = { apiVersion: 'headstart.dev/v1', kind: 'ImageRelease', ...anImage };
    folder.put(`/${RELEASE_FILE}`, JSON.stringify(release));
  });
  afterEach(async () => {
    await daemon?.close();
    daemon = undefined;
    folder.remove();
  });

  return {
    get folder() {
      return folder;
    },
    node: (verb, ...more) => run(['node', verb, ...more, '--root', folder.root]),

    file(content) {
      const place = join(folder.folder, 'document.json');
      writeFileSync(place, JSON.stringify(content));
      return place;
    },

    async applied(...generations) {
      const store = openNodeStore(folder.deps());
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
    },

    says(state) {
      const origin = { source: 'test', daemon: { pid: 7, startedAt: 'x' }, skewMs: 0 };
      const status = statusOf({ ...INITIAL, ...state }, origin);
      mkdirSync(join(folder.root, 'run/headstart'), { recursive: true });
      writeFileSync(
        join(folder.root, STATUS_PATH),
        JSON.stringify({ apiVersion: 'headstart.dev/v1', kind: 'NodeStatus', ...status }),
      );
    },

    async daemonThat(answers) {
      const heard: JsonObject[] = [];
      daemon = await listenOnSocket(folder.root, async (request) => {
        heard.push(request);
        return answers(request);
      });
      return heard;
    },
  };
}
