// cli/pool/testing.ts: runs the pool verbs in a test, with fake pools in a temporary folder, two base images and a file with a secret.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from 'vitest';
import { type FakePools, fakePools } from '../../local/testing.ts';
import { type CliResult, runVerb, type TestWorld } from '../testing.ts';
import type { Verb } from '../verb.ts';
import { poolCreate } from './create.ts';

/** In the file `data`; no verb may print it. */
export const SECRET = 'canary-4711';

export interface PoolWorld {
  folder: string;
  pools: FakePools;
  open(): Promise<FakePools>;
  call(verb: Verb, argv: string[], world?: TestWorld): Promise<CliResult>;
  create(...argv: string[]): Promise<CliResult>;
  /** The names of the instances of pool p. */
  names(): string[];
}

/** Each test of the file gets a new one. */
export function usePools(): PoolWorld {
  let nowUs: number;
  const world: PoolWorld = {
    folder: '',
    pools: fakePools(''),
    open: async () => world.pools,
    async call(verb, argv, more = {}) {
      const ran = await runVerb(verb, argv, { nowUs, ...more });
      expect(ran.stdout + ran.stderr).not.toContain(SECRET);
      expect(ran.stderr).not.toContain('bug:');
      return ran;
    },
    create: (...argv) => world.call(poolCreate(world.open), argv),
    names: () => world.pools.state.pools.get('pools/p')!.instances.map(({ computerName }) => computerName),
  };
  beforeEach(async () => {
    world.folder = mkdtempSync(join(tmpdir(), 'headstart-pool-'));
    world.pools = fakePools(world.folder);
    nowUs = world.pools.clock.nowMs() * 1000;
    await world.pools.addImage('headstart', 'debian-12', '2026.11.14');
    await world.pools.addImage('headstart', 'debian-12', '2026.11.15');
    writeFileSync(join(world.folder, 'data'), `#cloud-config\n# ${SECRET}\n`);
  });
  afterEach(() => rmSync(world.folder, { recursive: true }));
  return world;
}
