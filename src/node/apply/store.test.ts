import { describe, expect, it } from 'vitest';
import { A, B, C, inService, kindAndCode, ORDERED, UNORDERED, watch } from './store.testing.ts';

describe('history', () => {
  it('lists generations with what is active, verified and rolled back', async () => {
    const { node, store } = await inService();
    await store.apply(B, UNORDERED);
    node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
    await store.check();
    // A generation that was rolled back stays in the list, because the node ran it.
    expect(
      store
        .listGenerations()
        .map((one) => [one.number, one.generation, one.isActive, one.isLastKnownGood, one.bad?.code]),
    ).toEqual([
      [2, 2, false, false, 'verify/unit-failed'],
      [1, 1, true, true, undefined],
    ]);
  });

  it('allows a rollback, and the replaced document is not applied again without an order', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    await store.apply(B, UNORDERED);
    await watch(node, store, 6);
    const outcome = await store.rollbackTo(1);
    expect([outcome.kind, outcome.slots.active?.number]).toEqual(['applied', 1]);
    expect(node.snapshot()).toEqual(before);
    expect(kindAndCode(await store.apply(B, UNORDERED))).toEqual(['refused', 'plan/known-bad']);
    expect((await watch(node, store, 6)).kind).toBe('verified');
    expect((await store.apply(C, UNORDERED)).kind).toBe('applied');
  });

  it('rolls back to the last known good or the previous generation by default', async () => {
    const { node, store } = await inService();
    await store.apply(B, UNORDERED);
    const { active, watch: watched } = (await store.rollbackTo()).slots;
    expect([active?.number, watched]).toEqual([1, undefined]);
    await store.apply(C, UNORDERED);
    await watch(node, store, 6);
    expect((await store.rollbackTo()).slots.active?.number).toBe(2);
  });

  it.each(['after a failed check', 'by order'])(
    'rolls back to a document with the current facts of the instance: %s',
    async (how) => {
      const { node, store } = await inService();
      const facts = { ...A.facts, instance: { ...A.facts.instance, addresses: ['10.0.0.9'] } };
      await store.apply({ ...B, facts }, ORDERED);
      if (how === 'by order') await store.rollbackTo(1);
      else {
        node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
        await store.check();
      }
      expect(store.slots().active?.hash).toBe(A.hash);
      expect(node.text('/etc/default/kubelet')).toContain('--node-ip=10.0.0.9');
      expect(store.active()?.facts).toEqual(facts);
      expect((await store.apply(store.active()!, UNORDERED)).kind).toBe('unchanged');
    },
  );

  it('refuses a generation that does not exist', async () => {
    const { store } = await inService();
    await expect(store.rollbackTo(9)).rejects.toMatchObject({ code: 'node/no-such-generation', exitCode: 1 });
  });
});
