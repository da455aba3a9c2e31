import { describe, expect, it } from 'vitest';
import { poolReimage } from './reimage.ts';
import { poolStart } from './start.ts';
import { poolStop } from './stop.ts';
import { usePools } from './testing.ts';

const world = usePools();
const { open, call, create, names } = world;

describe('pool start, stop and reimage', () => {
  it('change one instance and print its state', async () => {
    await create('p');
    const [name] = names() as [string];
    expect((await call(poolStop(open), [name])).stdout).toBe(`${name} is stopped\n`);
    expect((await call(poolStart(open), [name, '--dry-run'])).stdout).toBe(`would start ${name} (it is stopped)\n`);
    expect((await call(poolStart(open), [name])).stdout).toBe(`${name} is running and up\n`);
    expect((await call(poolReimage(open), [name])).stderr).toContain('All data on its disk is lost');
    const ran = await call(poolReimage(open), [name, '--yes', '--json']);
    expect(JSON.parse(ran.stdout.trim().split('\n').at(-1)!)).toMatchObject({ kind: 'PoolInstance', pool: 'p', name });
  });

  it('name the known instances for an unknown one', async () => {
    await create('p');
    const ran = await call(poolStop(open), ['p']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('that is a pool: headstart pool show p');
  });
});
