import { beforeEach, describe, expect, it } from 'vitest';
import type { PoolSpec } from '../vms/qemu/local-provider.ts';
import { findLocalInstance, findLocalPool } from './find.ts';
import { type FakePools, fakePools } from './testing.ts';

const spec = (name: string): PoolSpec => ({
  name,
  image: { kind: 'marketplace', publisher: 'p', offer: 'o', sku: 's', version: '1' },
  extensions: [],
  size: { cpus: 1, memoryMb: 512, diskGb: 4 },
  services: [],
  tags: {},
});

let pools: FakePools;
/** Pool `pool` with this many instances. */
async function make(count: number, name = 'pool'): Promise<string[]> {
  const { ref } = await pools.pools.createPool(spec(name));
  return (await pools.pools.setCapacity(ref, count)).map(({ computerName }) => computerName);
}
beforeEach(() => {
  pools = fakePools('');
});

describe('a pool', () => {
  it('is found by its full name', async () => {
    await make(0, 'pool-2');
    await make(0, 'pool');
    expect((await findLocalPool(pools, 'pool', {})).ref.name).toBe('pool');
  });

  it.each([
    ['pol', 'there is no pool "pol" (did you mean pool?); known: pool', '`headstart pool list` shows all pools'],
    ['pool-000001', 'there is no pool "pool-000001"', 'headstart pool show pool lists the instances of pool pool'],
    ['', 'there is no pool ""; known: pool', '`headstart pool list` shows all pools'],
  ])(
    'named %j does not exist: the error lists the existing pools and does not suggest creating one',
    async (name, message, next) => {
      await make(0);
      const error = await findLocalPool(pools, name, {}).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({
        code: 'pool/no-such-pool',
        message: expect.stringContaining(message),
        next: expect.stringContaining(next),
      });
      expect(JSON.stringify(error)).not.toContain('pool create');
    },
  );

  it('that is not found in an empty home is suggested to be in another folder', async () => {
    await expect(findLocalPool(pools, 'p', {})).rejects.toMatchObject({
      message: 'there is no pool "p"; known: none',
      next: 'if it is in another folder of pools, select that with --home or HEADSTART_HOME',
    });
  });
});

describe('an instance', () => {
  it('is found by its host name, in any pool', async () => {
    await make(2, 'a');
    const [, second] = await make(2, 'b');
    expect((await findLocalInstance(pools, second!, {})).ref.pool.name).toBe('b');
  });

  it('that has the name of a pool is refused with a hint', async () => {
    await make(1);
    await expect(findLocalInstance(pools, 'pool', {})).rejects.toMatchObject({
      code: 'pool/no-such-instance',
      next: 'that is a pool: headstart pool show pool',
    });
  });

  it('that is unknown is refused with at most ten known names', async () => {
    const names = await make(12);
    const error = (await findLocalInstance(pools, 'zzz', {}).catch((thrown: unknown) => thrown)) as Error;
    expect(error.message).toContain(`known: ${names.slice(0, 10).join(', ')}, …`);
    expect(error.message).not.toContain(names[10]);
  });
});
