import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { poolLogs } from './logs.ts';
import { usePools } from './testing.ts';

const world = usePools();
const { open, call, create, names } = world;

describe('pool logs', () => {
  it('prints the last lines of the console without terminal codes', async () => {
    await create('p');
    const [name] = names() as [string];
    writeFileSync(
      join(world.folder, `${name}.log`),
      'one\r\n\u001b[0;32mtwo\u001b[0m\r\n\u001b]0;title\u0007three\nlogin: ',
    );
    expect((await call(poolLogs(open), [name])).stdout).toBe('one\ntwo\nthree\nlogin: \n');
    expect((await call(poolLogs(open), [name, '--lines', '2'])).stdout).toBe('three\nlogin: \n');
    expect((await call(poolLogs(open), [name, '--lines', '0'])).stdout).toBe('');
    expect(JSON.parse((await call(poolLogs(open), [name, '--json'])).stdout)).toMatchObject({
      kind: 'PoolLogs',
      lines: ['one', 'two', 'three', 'login: '],
    });
  });
});
