import { describe, expect, it } from 'vitest';
import { Forbidden, NotFound } from '../base/failures.ts';
import { fakeClock } from '../base/fake-clock.ts';
import { fakeCluster } from '../cluster/fake/fake-cluster.ts';
import { FORMER, savedModelName } from './names.ts';
import { deleteSavedModelSecret, readSavedModelSecret, writeSavedModelSecret } from './saved-model-secret.ts';

const pool = { id: '/groups/one/pools/pool1', name: 'pool1' };
const namesake = { id: '/groups/two/pools/pool1', name: 'pool1' };

describe('the saved model of a pool', () => {
  it('is not that of a pool of the same name in another resource group', async () => {
    const cluster = fakeCluster(fakeClock());
    await writeSavedModelSecret(cluster, pool, { recipe: 'one' });
    expect(await readSavedModelSecret(cluster, namesake)).toBeUndefined();
    await writeSavedModelSecret(cluster, namesake, { recipe: 'two' });
    expect((await readSavedModelSecret(cluster, pool))?.recipe).toBe('one');
    await deleteSavedModelSecret(cluster, namesake);
    expect((await readSavedModelSecret(cluster, pool))?.recipe).toBe('one');
  });

  it('names the pool that it belongs to', async () => {
    const cluster = fakeCluster(fakeClock());
    await writeSavedModelSecret(cluster, pool, { recipe: 'one' });
    expect(cluster.secrets.get(savedModelName(pool))).toEqual({ recipe: 'one', pool: pool.id });
  });

  it('is found and deleted under the name of the first release', async () => {
    const cluster = fakeCluster(fakeClock());
    await cluster.writeSecret(FORMER.savedModelName(pool), { recipe: 'old' });
    expect((await readSavedModelSecret(cluster, pool))?.recipe).toBe('old');
    await deleteSavedModelSecret(cluster, pool);
    expect(cluster.secrets.size).toBe(0);
  });

  it('is the newer one where both exist', async () => {
    const cluster = fakeCluster(fakeClock());
    await cluster.writeSecret(FORMER.savedModelName(pool), { recipe: 'old' });
    await writeSavedModelSecret(cluster, pool, { recipe: 'new' });
    expect((await readSavedModelSecret(cluster, pool))?.recipe).toBe('new');
  });

  it("is neither read from nor deleted with a former one that is another pool's", async () => {
    const cluster = fakeCluster(fakeClock());
    await cluster.writeSecret(FORMER.savedModelName(pool), { recipe: 'old', pool: namesake.id });
    expect(await readSavedModelSecret(cluster, pool)).toBeUndefined();
    await deleteSavedModelSecret(cluster, pool);
    expect(cluster.secrets.has(FORMER.savedModelName(pool))).toBe(true);
  });

  it('is read with rights on its own Secret alone; any other failure is reported', async () => {
    const cluster = fakeCluster(fakeClock());
    const failingWith = (error: Error) => ({
      ...cluster,
      readSecret: async (name: string) => {
        if (name === FORMER.savedModelName(pool)) throw error;
        return cluster.readSecret(name);
      },
    });
    expect(await readSavedModelSecret(failingWith(new Forbidden('no')), pool)).toBeUndefined();
    await expect(readSavedModelSecret(failingWith(new NotFound('the namespace')), pool)).rejects.toThrow(
      'the namespace',
    );
    const refused = { ...cluster, readSecret: () => Promise.reject(new Forbidden('no')) };
    const failure = await readSavedModelSecret(refused, pool).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(Forbidden);
    expect(failure).toMatchObject({ message: 'no', next: expect.stringContaining(`targetPool, to ${pool.id}`) });
  });
});
