import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { poolSet } from './set.ts';
import { SECRET, usePools } from './testing.ts';

const world = usePools();
const { open, call, create, names } = world;

describe('pool set', () => {
  it('sets and removes the user data of a pool or of one instance', async () => {
    await create('p');
    const [first] = names() as [string];
    const set = (...argv: string[]) => call(poolSet(open), ['p', ...argv]);
    expect((await set('--user-data', join(world.folder, 'data'))).stdout).toBe('p has new user data\n');
    expect(Buffer.from(world.pools.specs.get('p')!.userData!, 'base64').toString()).toContain(SECRET);
    await set('--user-data', join(world.folder, 'data'), '--instance', first, '--dry-run');
    expect(world.pools.userData.size).toBe(0);
    await set('--user-data', join(world.folder, 'data'), '--instance', first);
    expect([...world.pools.userData.keys()]).toEqual([first]);
    expect(JSON.parse((await set('--no-user-data', '--json')).stdout)).toMatchObject({
      kind: 'PoolSet',
      hasUserData: false,
    });
    expect(world.pools.specs.get('p')!.userData).toBeUndefined();
  });

  it('refuses an instance of another pool, and missing options', async () => {
    await create('p');
    await create('q');
    const other = world.pools.state.pools.get('pools/q')!.instances[0]!.computerName;
    expect((await call(poolSet(open), ['p', '--no-user-data', '--instance', other])).stderr).toContain(
      'is not an instance of p',
    );
    expect((await call(poolSet(open), ['p'])).code).toBe(2);
  });
});
