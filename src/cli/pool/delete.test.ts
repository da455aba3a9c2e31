import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { FORMER, lastRunName, savedModelName } from '../../prototype/names.ts';
import { poolDelete } from './delete.ts';
import { usePools } from './testing.ts';

const world = usePools();
const { open, call, create } = world;

describe('pool delete', () => {
  it('refuses without a terminal, and deletes with --yes', async () => {
    await create('p');
    expect((await call(poolDelete(open), ['p', '--dry-run'])).stdout).toContain('would delete pool p with p-');
    const ran = await call(poolDelete(open), ['p']);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('code:  cli/not-confirmed');
    expect(world.pools.state.pools.size).toBe(1);
    const { ref } = [...world.pools.state.pools.values()][0]!;
    const saved = [savedModelName(ref), FORMER.savedModelName(ref), lastRunName(ref)].map((name) =>
      join(world.folder, 'prototype', `${name}.json`),
    );
    mkdirSync(join(world.folder, 'prototype'));
    for (const file of saved) writeFileSync(file, '{}');
    const gone = await call(poolDelete(open), ['p', '--yes'], { env: { HEADSTART_HOME: world.folder } });
    expect(gone.stdout).toContain('pool p is deleted');
    expect(world.pools.state.pools.size).toBe(0);
    expect(saved.filter((file) => existsSync(file))).toEqual([]);
  });

  it('names the command that finishes an interrupted delete', async () => {
    await create('p');
    const ran = await call(poolDelete(open), ['p', '--yes'], { signal: AbortSignal.abort('SIGINT') });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('next:  headstart pool delete p --yes');
  });

  it.each([
    ['pol', 'there is no pool "pol" (did you mean pool?); known: pool'],
    ['pool-000001', 'next:  headstart pool show pool lists the instances of pool pool'],
    ['', 'there is no pool ""; known: pool'],
  ])('names the existing pools for %j, and never a command that creates one', async (name, said) => {
    await create('pool');
    const ran = await call(poolDelete(open), [name, '--yes']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(said);
    expect(ran.stderr).toContain('Nothing was changed.');
    expect(ran.stderr).not.toContain('pool create');
  });
});
