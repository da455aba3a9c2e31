import { describe, expect, it } from 'vitest';
import { leaseName } from '../../prototype/names.ts';
import { POOL, POOL_REF } from '../../prototype/testing.ts';
import { pruneVerb } from './prune.ts';
import { type VerbLab, verbLab } from './testing.ts';

/** One version in use, and three unused versions. */
async function withOldVersions(): Promise<VerbLab> {
  const world = verbLab();
  await world.run();
  const [made] = [...world.provider.state.versions.values()];
  for (const name of ['2020.01.01', '2020.01.02', '2020.01.03']) {
    const id = made!.id.replace(made!.name, name);
    world.provider.state.versions.set(id, { ...made!, id, name });
  }
  return world;
}

const names = ({ provider }: VerbLab) => [...provider.state.versions.values()].map(({ name }) => name).sort();
const prune = ['--pool', POOL, '--image-history', '2'];

describe('prototype prune', () => {
  it('refuses without a terminal, and deletes nothing', async () => {
    const world = await withOldVersions();
    const before = names(world);
    const { code, stderr } = await world.runVerb(pruneVerb, ...prune);
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('add --yes') });
    expect(stderr).toContain('2020.01.01, 2020.01.02');
    expect(names(world)).toEqual(before);
  });

  it('deletes versions beyond the history with --yes, and releases the pool', async () => {
    const world = await withOldVersions();
    const { code, stdout } = await world.runVerb(pruneVerb, ...prune, '--yes');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'deleted 2020.01.01, 2020.01.02\n' });
    expect(names(world)).toEqual(['2020.01.03', world.intent.version]);
    expect(world.cluster.leases.size).toBe(0);
  });

  it('deletes nothing during a run, which may be about to use an unused version', async () => {
    const world = await withOldVersions();
    const before = names(world);
    await world.cluster.holdLease(leaseName(POOL_REF), { holder: 'somebody-1', durationMs: 60_000, note: 'rollback' });
    const { code, stderr } = await world.runVerb(pruneVerb, ...prune, '--yes');
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('held by somebody-1') });
    expect(names(world)).toEqual(before);
  });

  it('keeps a version that came into use after the confirmation', async () => {
    const world = await withOldVersions();
    const { holdLease } = world.cluster;
    world.cluster.holdLease = async (...args) => {
      const old = [...world.provider.state.versions.values()].find(({ name }) => name === '2020.01.01')!;
      world.provider.state.pools.get(world.ref.pool.id)!.model.image = { kind: 'version', id: old.id };
      return holdLease(...args);
    };
    const { stdout } = await world.runVerb(pruneVerb, ...prune, '--yes');
    expect(stdout).toBe('deleted 2020.01.02\n');
    expect(names(world)).toContain('2020.01.01');
  });

  it('names the versions with --dry-run, and deletes none', async () => {
    const world = await withOldVersions();
    const { code, stdout } = await world.runVerb(pruneVerb, ...prune, '--dry-run');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'would delete 2020.01.01, 2020.01.02\n' });
    expect(names(world)).toHaveLength(4);
  });

  it('does not ask if there is nothing to delete', async () => {
    const world = verbLab();
    expect(await world.runVerb(pruneVerb, '--pool', POOL)).toMatchObject({ code: 0, stdout: 'nothing to delete\n' });
  });
});
