// cli/cluster/testing.ts: runs the verbs for local clusters in a test, with a temporary home, a fake control plane and empty programs.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { Secret } from '../../base/secret.ts';
import type { Node } from '../../cluster/cluster.ts';
import { programsFolder } from '../../cluster/local/programs/programs.ts';
import { KUBE_SERVERS } from '../../cluster/local/server-flags.ts';
import { type FakePlane, fakePlane } from '../../cluster/local/testing.ts';
import type { OpenPlane } from '../compose/open-plane.ts';
import { type CliResult, runVerb, type TestWorld } from '../testing.ts';
import { clusterDown } from './down.ts';
import { clusterStatus } from './status.ts';
import { clusterToken } from './token.ts';
import { clusterUp } from './up.ts';

export const TOKEN = 'abcdef.0123456789abcdef';

const VERBS = { up: clusterUp, down: clusterDown, status: clusterStatus, token: clusterToken };

export interface ClusterWorld {
  home: string;
  plane: FakePlane;
  /** What the API server lists; an error: listing fails with it. */
  nodes: Node[] | Error;
  hasGo: boolean;
  /** A folder with programs of v1.34.2; programs of v1.35.8 are in the cache. */
  given: string;
  /** How many tokens were created. */
  tokens: number;
  call(verb: keyof typeof VERBS, argv?: string[], more?: TestWorld): Promise<CliResult>;
}

/** Each test of the file gets a new one. */
export function useCluster(): ClusterWorld {
  const world: ClusterWorld = {
    ...{ home: '', plane: fakePlane(), nodes: [], hasGo: true, given: '', tokens: 0 },
    async call(verb, argv = [], more = {}) {
      const ran = await runVerb(VERBS[verb](opening(world)), argv, {
        env: { HEADSTART_HOME: world.home },
        nowUs: world.plane.clock.nowMs() * 1000,
        ...more,
      });
      expect(ran.stderr).not.toContain('bug:');
      expect(ran.stdout + ran.stderr).not.toMatch(/PRIVATE KEY|client-key-data/);
      return ran;
    },
  };
  beforeEach(() => {
    const home = mkdtempSync(join(tmpdir(), 'headstart-cluster-'));
    const given = join(home, 'given');
    Object.assign(world, { home, given, plane: fakePlane(), nodes: [], hasGo: true, tokens: 0 });
    for (const folder of [programsFolder(join(home, 'cache'), 'v1.35.8'), given]) {
      mkdirSync(folder, { recursive: true });
      for (const name of [...KUBE_SERVERS, 'kubectl']) writeFileSync(join(folder, name), '', { mode: 0o755 });
    }
  });
  afterEach(() => rmSync(world.home, { recursive: true }));
  return world;
}

const opening =
  (world: ClusterWorld): OpenPlane =>
  () => ({
    plane: world.plane,
    programs: {
      cache: join(world.home, 'cache'),
      env: {},
      freeBytes: async () => 2 ** 40,
      run: async (argv) => {
        const isVersion = argv.includes('--version');
        const stdout = Buffer.from(isVersion ? 'Kubernetes v1.34.2\n' : '');
        return {
          ...{ outcome: isVersion || world.hasGo ? 'exited' : 'missing', code: isVersion ? 0 : 1 },
          ...{ stdout, stderr: '' },
        };
      },
    },
    listNodes: async () => {
      if (world.nodes instanceof Error) throw world.nodes;
      return world.nodes;
    },
    createToken: async (_, ttlMs) => {
      world.tokens++;
      return { id: 'abcdef', token: new Secret(TOKEN), expiresMs: world.plane.clock.nowMs() + ttlMs };
    },
  });

/** The last line of JSON that a verb printed. */
export const last = (stdout: string) => JSON.parse(stdout.trim().split('\n').at(-1)!) as Record<string, unknown>;
