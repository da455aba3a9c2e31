import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { holdPools } from './hold-pools.ts';

const home = mkdtempSync(join(tmpdir(), 'headstart-hold-'));
afterAll(() => rmSync(home, { recursive: true }));

describe('a pool', () => {
  it('has one server at a time', async () => {
    const ran: string[] = [];
    await holdPools(home, ['a', 'b'], async () => {
      await expect(holdPools(home, ['c', 'b'], async () => void ran.push('second'))).rejects.toMatchObject({
        code: 'autoscaler/pool-served',
        message: 'another server has pool b',
      });
      await holdPools(home, ['c'], async () => void ran.push('other'));
    });
    await holdPools(home, ['b', 'a'], async () => void ran.push('later'));
    expect(ran).toEqual(['other', 'later']);
  });
});
