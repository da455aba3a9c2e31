import { describe, expect, it } from 'vitest';
import { NotFound } from '../../base/failures.ts';
import { fakeClock } from '../../base/fake-clock.ts';
import { addPool, fakeWorld, instanceIn, isCopying, poolIn, scaleOut, tagsAfter } from './fake-world.ts';

describe('the state of the fake provider', () => {
  it('never reuses a number: instances of all pools have distinct ids', () => {
    const world = fakeWorld(fakeClock());
    for (const name of ['a', 'b']) addPool(world, name, 2);
    const ids = [...world.state.pools.values()].flatMap(({ instances }) => instances.map(({ vmId }) => vmId));
    expect(new Set(ids).size).toBe(4);
  });

  it('makes instances from the current model, and none from a deleted version', () => {
    const world = fakeWorld(fakeClock());
    const { ref } = addPool(world, 'a', 0);
    expect(scaleOut(world, ref)).toMatchObject({ hasRunBootstrap: true, isSealed: false });
    poolIn(world, ref).model.image = { kind: 'version', id: '/gone' };
    expect(() => scaleOut(world, ref)).toThrow(NotFound);
  });

  it('throws NotFound for pools and instances that do not exist', () => {
    const world = fakeWorld(fakeClock());
    const { ref } = addPool(world, 'a', 1);
    expect(() => poolIn(world, { id: 'x', name: 'x' })).toThrow(NotFound);
    expect(() => instanceIn(world, { pool: ref, id: 'x' })).toThrow(NotFound);
  });

  it("completes the copy of a snapshot's bytes later than the call returns", () => {
    const clock = fakeClock();
    const world = fakeWorld(clock);
    world.copyingMs = 1000;
    const snapshot = {
      ...{
        name: 's',
        id: '/s',
        state: 'complete' as const,
        percent: 100,
        sourceDiskId: 'd',
        tags: {},
        isSealed: false,
      },
      createdMs: clock.nowMs(),
    };
    expect(isCopying(world, snapshot)).toBe(true);
    clock.advance(1000);
    expect(isCopying(world, snapshot)).toBe(false);
  });

  it('changes tags by name, and removes a tag that is set to null', () => {
    expect(tagsAfter({ a: '1', b: '2' }, { a: null, c: '3', gone: null })).toEqual({ b: '2', c: '3' });
  });
});
