import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { ApiFailure } from '../api/api-server.ts';
import type { OwnNode } from '../api/own-node.ts';
import { nodeHooks } from './node-hooks.ts';

function hooksOf(get: OwnNode['get'], hasCredential = true) {
  const never = () => Promise.reject(new Error('not asked for'));
  const node: OwnNode = {
    get,
    patchMetadata: never,
    patchCondition: never,
    createEvent: never,
    cordon: never,
    pods: never,
    evict: never,
    watchMetadata: never,
  };
  return nodeHooks({ node, clock: fakeClock(), hasCredential: () => hasCredential, hasJoined: () => hasCredential });
}
const failing = (status?: number) =>
  hooksOf(() => Promise.reject(new ApiFailure('no', { ...(status !== undefined && { status }) })));

describe('the health of the Node', () => {
  it.each([429, 500, 503, 504])(
    'is not known while the API server answers %i, but it can be reached',
    async (status) => {
      expect(await failing(status).health()).toEqual({ isReachable: true, isReady: undefined });
      expect(await failing(status).seen()).toBeUndefined();
    },
  );

  it.each([undefined, 401, 403])('is out of reach without an answer, or with %s', async (status) => {
    expect(await failing(status).health()).toEqual({ isReachable: false });
  });

  it('is asked of nobody before there is a credential', async () => {
    const hooks = hooksOf(() => Promise.reject(new Error('asked')), false);
    expect([await hooks.health(), await hooks.seen()]).toEqual([{ isReachable: false }, undefined]);
  });

  it('has no heartbeat before the node has registered', async () => {
    expect(await hooksOf(async () => undefined).health()).toEqual({
      isReachable: true,
      isReady: false,
      heartbeatMs: undefined,
    });
  });

  it('hides no bug', async () => {
    const bug = new TypeError('x');
    await expect(hooksOf(() => Promise.reject(bug)).health()).rejects.toBe(bug);
  });
});

it('a node that never joined has no pods to move: a repair of it waits for nobody', async () => {
  await hooksOf(() => Promise.reject(new ApiFailure('no credential')), false).drain();
});
