import { describe, expect, it } from 'vitest';
import { leaseName } from '../../prototype/names.ts';
import { POOL } from '../../prototype/testing.ts';
import { pruneVerb } from './prune.ts';
import { type VerbLab, verbLab } from './testing.ts';

/** One version in use, and three that nothing refers to any more. */
async function withOldVersions(): Promise<VerbLab> {
  const world = verbLab();
  await world.run();
  const [made] = [...world.factory.state.versions.values()];
  for (const name of ['2020.01.01', '2020.01.02', '2020.01.03']) {
    const id = made!.id.replace(made!.name, name);
    world.factory.state.versions.set(id, { ...made!, id, name });
  }
  return world;
}

const names = ({ factory }: VerbLab) => [...factory.state.versions.values()].map(({ name }) => name).sort();
const prune = ['--pool', POOL, '--image-history', '2'];

describe('prototype prune', () => {
  it('refuses rather than guesses where nobody can be asked, and deletes nothing', async () => {
    const world = await withOldVersions();
    const before = names(world);
    const { code, stderr } = await world.tell(pruneVerb, ...prune);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    expect(stderr).toContain('2020.01.01, 2020.01.02');
    expect(names(world)).toEqual(before);
  });

  it('deletes what is beyond the history when told so, and leaves the pool free', async () => {
    const world = await withOldVersions();
    const { code, stdout } = await world.tell(pruneVerb, ...prune, '--yes');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'deleted 2020.01.01, 2020.01.02\n' });
    expect(names(world)).toEqual(['2020.01.03', world.intent.version]);
    expect(world.cluster.leases.size).toBe(0);
  });

  it('deletes nothing beside a run, which may be about to use what looks free', async () => {
    const world = await withOldVersions();
    const before = names(world);
    await world.cluster.holdLease(leaseName(POOL), { holder: 'somebody-1', durationMs: 60_000, note: 'rollback' });
    const { code, stderr } = await world.tell(pruneVerb, ...prune, '--yes');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('held by somebody-1') });
    expect(names(world)).toEqual(before);
  });

  it('spares a version that came into use between the question and the answer', async () => {
    const world = await withOldVersions();
    const { holdLease } = world.cluster;
    world.cluster.holdLease = async (...args) => {
      const old = [...world.factory.state.versions.values()].find(({ name }) => name === '2020.01.01')!;
      world.factory.state.pools.get(world.ref.pool.id)!.model.image = { kind: 'version', id: old.id };
      return holdLease(...args);
    };
    const { stdout } = await world.tell(pruneVerb, ...prune, '--yes');
    expect(stdout).toBe('deleted 2020.01.02\n');
    expect(names(world)).toContain('2020.01.01');
  });

  it('names them, and deletes none, when it is only asked', async () => {
    const world = await withOldVersions();
    const { code, stdout } = await world.tell(pruneVerb, ...prune, '--dry-run');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'would delete 2020.01.01, 2020.01.02\n' });
    expect(names(world)).toHaveLength(4);
  });

  it('has nothing to ask when there is nothing to delete', async () => {
    const world = verbLab();
    expect(await world.tell(pruneVerb, '--pool', POOL)).toMatchObject({ code: 0, stdout: 'nothing to delete\n' });
  });
});
