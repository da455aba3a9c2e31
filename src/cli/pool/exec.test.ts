import { beforeEach, describe, expect, it } from 'vitest';
import { TransientError } from '../../base/errors.ts';
import { poolExec } from './exec.ts';
import { usePools } from './testing.ts';

const world = usePools();
const { open, call, create, names } = world;

describe('pool exec', () => {
  const written: Buffer[] = [];
  const streams = {
    write: (_: 1 | 2, bytes: Uint8Array) => void written.push(Buffer.from(bytes)),
  };
  const run = (argv: string[], input?: string) =>
    call(poolExec(open, { ...streams, input: async () => (input === undefined ? input : Buffer.from(input)) }), argv);

  beforeEach(async () => {
    written.length = 0;
    await create('p');
  });

  it('passes on the program, its arguments, its exit code and its bytes unchanged', async () => {
    world.pools.guest = () => ({ exitCode: 7, stdout: Buffer.from([0xff, 0, 10]), stderr: Buffer.from('oh') });
    const [name] = names() as [string];
    const ran = await run([name, '--', 'ls', '-l', '--', "a b'"]);
    expect(ran.code).toBe(7);
    expect(world.pools.ran).toEqual([{ instance: name, argv: ['ls', '-l', '--', "a b'"], input: '' }]);
    expect(Buffer.concat(written)).toEqual(Buffer.from([0xff, 0, 10, 0x6f, 0x68]));
    const result = JSON.parse((await run([name, '--json', '--', 'ls'])).stdout) as Record<string, unknown>;
    expect(result).toMatchObject({ kind: 'PoolExec', exitCode: 7, encoding: 'base64', stdout: '/wAK' });
  });

  it('passes on piped input, unless --no-stdin is given', async () => {
    const [name] = names() as [string];
    await run([name, '--', 'sh', '-s'], 'echo hi');
    await run([name, '--no-stdin', '--', 'sh', '-s'], 'echo hi');
    expect(world.pools.ran.map(({ input }) => input)).toEqual(['echo hi', '']);
  });

  it('says what to check if the guest does not answer', async () => {
    const [name] = names() as [string];
    world.pools.guest = () => new TransientError('agent.sock did not answer', { code: 'vms/not-answering' });
    const ran = await run([name, '--', 'ls']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`next:  headstart pool logs ${name}`);
  });

  it('needs a running instance', async () => {
    const [name] = names() as [string];
    world.pools.state.pools.get('pools/p')!.instances[0]!.power = 'stopped';
    const ran = await run([name, '--', 'ls']);
    expect(ran.code).toBe(1);
    expect(ran.stderr).toContain(`next:  headstart pool start ${name}`);
  });
});
