import { describe, expect, it } from 'vitest';
import { poolList } from './list.ts';
import { usePools } from './testing.ts';

const world = usePools();
const { open, call, create } = world;

describe('pool list', () => {
  it('reports that there are no pools, and how to create one', async () => {
    expect((await call(poolList(open), [])).stdout).toContain('headstart pool create NAME');
  });

  it('counts running and stale instances', async () => {
    await create('p', '--count', '2', '--image', 'headstart/debian-12/2026.11.14');
    const pool = world.pools.state.pools.get('pools/p')!;
    pool.model.image = { kind: 'version', id: 'galleries/headstart/debian-12/2026.11.15' };
    pool.instances[0]!.power = 'stopped';
    expect((await call(poolList(open), [])).stdout).toMatch(/^p +1\/2 +2 +headstart\/debian-12\/2026\.11\.15$/m);
    expect(JSON.parse((await call(poolList(open), ['--json'])).stdout)).toMatchObject({
      kind: 'PoolList',
      pools: [{ stale: 2 }],
    });
  });
});
