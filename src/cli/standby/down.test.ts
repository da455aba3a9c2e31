import { beforeEach, describe, expect, it } from 'vitest';
import { usePools } from '../pool/testing.ts';
import { standbyDown } from './down.ts';
import { standbyUp } from './up.ts';

const { open, call, create } = usePools();
beforeEach(async () => {
  await create('p');
  await call(standbyUp(open), ['p', '--frozen', '1']);
});
const kept = async () => (await open()).standbyStates.has('p');

describe('standby down', () => {
  it('asks first, and deletes with --yes', async () => {
    expect((await call(standbyDown(open), ['p'])).stderr).toContain('code:  cli/not-confirmed');
    expect(await kept()).toBe(true);
    const ran = await call(standbyDown(open), ['p', '--yes', '--json']);
    expect(JSON.parse(ran.stdout.trim().split('\n').at(-1)!)).toMatchObject({ pool: 'p', instances: ['p-s1'] });
    expect(await kept()).toBe(false);
  });

  it('prints what it would delete', async () => {
    expect((await call(standbyDown(open), ['p', '--dry-run'])).stdout).toContain('would delete p-s1');
    expect(await kept()).toBe(true);
  });

  it('asks nothing when there are none', async () => {
    await call(standbyDown(open), ['p', '--yes']);
    expect((await call(standbyDown(open), ['p'])).stdout).toBe('pool p keeps no standby nodes\n');
  });

  it('names the command that ends an interrupted one', async () => {
    (await open()).standby.deleteStandby = async (_, options) => options?.signal?.throwIfAborted();
    const ran = await call(standbyDown(open), ['p', '--yes'], { signal: AbortSignal.abort('SIGINT') });
    expect(ran.code).toBe(4);
    expect(ran.stderr).toContain('next:  headstart standby down p --yes');
  });
});
