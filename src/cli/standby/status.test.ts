import { describe, expect, it } from 'vitest';
import { usePools } from '../pool/testing.ts';
import { standbyStatus } from './status.ts';

const { open, call, create, ...world } = usePools();
const policy = { counts: { paused: 0, frozen: 1, stopped: 0 } };

describe('standby status', () => {
  it('shows one pool or all of them', async () => {
    await create('p');
    await create('q');
    world.pools = await open();
    world.pools.standbyStates.set('p', { policy, members: [] });
    expect((await call(standbyStatus(open), ['p'])).stdout).toBe('p: 0 of 1 frozen\n');
    const all = await call(standbyStatus(open), []);
    expect(all.stdout).toBe('p: 0 of 1 frozen\n\npool q keeps no standby nodes\n');
    const { pools } = JSON.parse((await call(standbyStatus(open), ['--json'])).stdout);
    expect(pools).toEqual([
      { pool: 'p', policy, members: [] },
      { pool: 'q', members: [] },
    ]);
  });

  it('says so when there are no pools, and names the known ones for an unknown name', async () => {
    expect((await call(standbyStatus(open), [])).stdout).toBe('no pools\n');
    await create('p');
    const ran = await call(standbyStatus(open), ['x']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain('known: p');
  });
});
