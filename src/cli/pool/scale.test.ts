import { describe, expect, it } from 'vitest';
import { poolScale } from './scale.ts';
import { usePools } from './testing.ts';

const world = usePools();
const { open, call, create, names } = world;

describe('pool scale', () => {
  it('adds instances, deletes the newest, and succeeds if there is nothing to do', async () => {
    await create('p');
    const [first] = names();
    expect((await call(poolScale(open), ['p', '3'])).stderr).toContain(
      'start 2 more from headstart/debian-12/2026.11.15',
    );
    expect((await call(poolScale(open), ['p', '1', '--dry-run'])).stdout).toContain('would delete 2');
    expect(names()).toHaveLength(3);
    expect((await call(poolScale(open), ['p', '1'])).code).toBe(0);
    expect(names()).toEqual([first]);
    expect((await call(poolScale(open), ['p', '1', '--dry-run'])).stdout).toBe('nothing to do\n');
  });

  it('says that one booted which continued and was not Ready', async () => {
    await create('p');
    (await open()).whyBoot = 'its node was not Ready';
    expect((await call(poolScale(open), ['p', '2'])).stderr).toMatch(/\S+ was cold: its node was not Ready\n/);
  });

  it.each(['-1', 'x', '1.5', '101'])('refuses %j instances', async (count) => {
    const ran = await call(poolScale(open), ['p', '--', count]);
    expect(ran.code).toBe(2);
    expect(ran.stderr).toContain('code:  pool/bad-count');
  });
});
