import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { ApiFailure } from '../api/api-server.ts';
import type { OwnNode } from '../api/own-node.ts';
import { nodeHooks } from './node-hooks.ts';

function hooksOf(get: OwnNode['get'], hasCredential = true) {
  const never = () => Promise.reject(new Error('not expected'));
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
  it.each([429, 500, 503, 504])('is unknown while the API server answers %i, but reachable', async (status) => {
    expect(await failing(status).health()).toEqual({ isReachable: true, isReady: undefined });
    expect(await failing(status).seen()).toBeUndefined();
  });

  it.each([undefined, 401, 403])('is unreachable without an answer, or with status %s', async (status) => {
    expect(await failing(status).health()).toEqual({ isReachable: false });
  });

  it('is not requested without a credential', async () => {
    const hooks = hooksOf(() => Promise.reject(new Error('requested')), false);
    expect([await hooks.health(), await hooks.seen()]).toEqual([{ isReachable: false }, undefined]);
  });

  it('has no heartbeat before the node has registered', async () => {
    expect(await hooksOf(async () => undefined).health()).toEqual({
      isReachable: true,
      isReady: false,
      heartbeatMs: undefined,
    });
  });

  it('rethrows a bug', async () => {
    const bug = new TypeError('x');
    await expect(hooksOf(() => Promise.reject(bug)).health()).rejects.toBe(bug);
  });
});

it('the drain of a node that never joined succeeds without the API server', async () => {
  await hooksOf(() => Promise.reject(new ApiFailure('no credential')), false).drain();
});
