import { afterEach, describe, expect, it } from 'vitest';
import { UserError } from '../../../base/errors.ts';
import type { JoinCluster } from '../pools/join-cluster.ts';
import { judgeMembers } from './members.ts';
import { parkedWorld, type StandbyWorld } from './world.testing.ts';

let world: StandbyWorld;
afterEach(() => world.end());

const judge = ({ joinCluster }: { joinCluster?: JoinCluster | undefined }) => {
  const { joinCluster: _, ...context } = world.context;
  return judgeMembers({ ...context, ...(joinCluster && { joinCluster }) }, world.pool);
};
const withServer = (server: () => never) => ({ joinCluster: { ...world.context.joinCluster!, server } });

describe('the members of a pool', () => {
  it.each<[string, () => { joinCluster?: JoinCluster | undefined }]>([
    [
      'was deleted',
      () =>
        withServer(() => {
          throw new UserError('there is no cluster lab', { code: 'cluster/none' });
        }),
    ],
    ['cannot be accessed by this command', () => ({})],
  ])('are judged without the address of the API server when their cluster %s', async (_what, changes) => {
    world = await parkedWorld('paused');
    expect(await judge(changes())).toMatchObject([{ id: 'web-000001', verdict: 'use' }]);
  });

  it('are not judged when the address cannot be read for another reason', async () => {
    world = await parkedWorld('paused');
    const judged = judge(
      withServer(() => {
        throw new TypeError('a bug');
      }),
    );
    await expect(judged).rejects.toThrow('a bug');
  });
});
