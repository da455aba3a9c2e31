import { beforeEach, describe, expect, it } from 'vitest';
import { fakeMachine } from '../../identity/testing.ts';
import { distinctInstances } from './distinct-instances.ts';
import { usePools } from './testing.ts';

const world = usePools();
const { open, call, create, names } = world;
const outputs = ['a', 'b', 'c'].map((name) => fakeMachine(name).output());

describe('node distinct of local instances', () => {
  const run = (argv: string[]) => call(distinctInstances(open), argv);
  let guests: Map<string, string>;

  beforeEach(async () => {
    await create('p', '--count', '3');
    guests = new Map(names().map((name, i) => [name, outputs[i]!]));
    world.pools.guest = () => ({ stdout: Buffer.from(guests.get(world.pools.ran.at(-1)!.instance)!) });
  });

  it('compares instances by name', async () => {
    const [a, b] = names() as [string, string];
    const ran = await run([a, b]);
    expect(ran).toMatchObject({ code: 0, stdout: `${a}, ${b}: distinct\n` });
    expect(new Set(world.pools.ran.map(({ instance }) => instance))).toEqual(new Set([a, b]));
  });

  it('names the two of a pool that share something: exit code 3', async () => {
    const [a, , c] = names() as [string, string, string];
    guests.set(c, guests.get(a)!.replace(/^random-bytes.*$/m, `random-bytes\tfresh\t${'12'.repeat(32)}`));
    const { code, stdout } = await run(['--pool', 'p', '--json']);
    expect(code).toBe(3);
    const { shared, machines } = JSON.parse(stdout);
    expect(machines).toEqual(names());
    expect(shared.map(({ item }: { item: string }) => item)).not.toContain('random-bytes');
    for (const one of shared) expect(one.machines).toEqual([a, c]);
  });

  it('asks an instance once that is named twice', async () => {
    const [a] = names() as [string];
    expect((await run(['--pool', 'p', a])).code).toBe(0);
    expect(world.pools.ran).toHaveLength(3);
  });

  it('says which instances there are when a name is unknown', async () => {
    const { code, stderr } = await run(['nosuch', names()[0]!]);
    expect(code).toBe(1);
    expect(stderr).toContain('there is no instance "nosuch"');
  });

  it('needs two machines or a pool', async () => {
    expect(await run([])).toMatchObject({ code: 2, stderr: expect.stringContaining('at least two machines') });
  });
});
