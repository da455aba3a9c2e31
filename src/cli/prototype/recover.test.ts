import { describe, expect, it } from 'vitest';
import { Forbidden } from '../../base/failures.ts';
import { DONOR_TAG, PRIOR_ANNOTATION } from '../../prototype/names.ts';
import { donorMark, priorOf, recordChange } from '../../prototype/run/prior.ts';
import { POOL } from '../../prototype/testing.ts';
import { recoverVerb } from './recover.ts';
import { runVerb } from './run.ts';
import { statusVerb } from './status.ts';
import { type VerbLab, verbLab } from './testing.ts';

/** Instances of the pool that a killed run left stopped and marked. */
async function outLab(count: number, { hasNodes }: { hasNodes: boolean }) {
  const world = verbLab();
  const out = world.provider.state.pools.get(`/pools/${POOL}`)!.instances.slice(0, count);
  for (const instance of out) {
    const node = world.cluster.nodes.get(instance.computerName)!;
    const prior = priorOf(node, instance, 'dead');
    await world.cluster.changeNode(node, recordChange(prior));
    await world.provider.pools.tagInstance(instance.ref, { [DONOR_TAG]: donorMark(prior) });
    await world.provider.pools.stop(instance.ref);
    if (!hasNodes) world.cluster.nodes.delete(instance.computerName);
  }
  const recover = (...argv: string[]) => world.runVerb((connect) => recoverVerb(connect, world.clock), ...argv);
  return { ...world, out, recover };
}

const isHome = ({ cluster }: VerbLab) =>
  [...cluster.nodes.values()].every(({ annotations }) => !(PRIOR_ANNOTATION in annotations));

describe('prototype recover', () => {
  it.each([true, false])('returns a donor to service by its name (it has a Node object: %s)', async (hasNodes) => {
    const world = await outLab(1, { hasNodes });
    const [donor] = world.out;
    const ran = await world.recover('--node', donor!.computerName);
    expect(ran).toMatchObject({
      code: 0,
      stdout: `${donor!.computerName} is back in service, in its original state\n`,
    });
    expect(donor).toMatchObject({ power: 'running', tags: {} });
    expect(isHome(world)).toBe(true);
  });

  it.each([true, false])('returns every donor of a pool to service (they have Node objects: %s)', async (hasNodes) => {
    const world = await outLab(2, { hasNodes });
    const ran = await world.recover('--pool', POOL);
    expect(ran.code, ran.stderr).toBe(0);
    for (const donor of world.out) {
      expect(ran.stdout).toContain(`${donor.computerName} is back in service`);
      expect(donor).toMatchObject({ power: 'running', tags: {} });
    }
    expect(isHome(world)).toBe(true);
    expect(await world.recover('--pool', POOL)).toMatchObject({
      code: 0,
      stdout: `no donor of ${POOL} is out of service: nothing to do\n`,
    });
  });

  it('recovers the other donors if one fails, and reports the failure', async () => {
    const world = await outLab(2, { hasNodes: false });
    const { start } = world.provider.pools;
    world.provider.pools.start = async (ref, options) => {
      if (ref.id === world.out[0]!.ref.id) throw new Forbidden('no right to start it');
      return start(ref, options);
    };
    const ran = await world.recover('--pool', POOL, '--json');
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain('no right to start it');
    expect(world.out.map(({ power }) => power)).toEqual(['stopped', 'running']);
  });

  it('needs a node or a pool', async () => {
    expect(await verbLab().runVerb(recoverVerb)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('neither --node nor --pool is given'),
    });
  });

  it('is what status advises for a donor without a Node object', async () => {
    const world = await outLab(1, { hasNodes: false });
    const { stderr } = await world.runVerb(statusVerb, '--pool', POOL);
    const [, argv] = /headstart prototype recover (--node \S+)/.exec(stderr)!;
    expect(await world.recover(...argv!.split(' '))).toMatchObject({ code: 0 });
    expect(world.out[0]!.power).toBe('running');
  });
});

describe('prototype run with a donor whose Node object is gone', () => {
  it('returns the donor to service, then says that it is no node', async () => {
    const world = await outLab(1, { hasNodes: false });
    const ran = await world.runVerb(runVerb, '--node', world.out[0]!.computerName);
    expect(ran.stderr).toContain('code:  prototype/no-donor');
    expect(world.out[0]).toMatchObject({ power: 'running', tags: {} });
  });
});
