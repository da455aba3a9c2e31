import { describe, expect, it } from 'vitest';
import { A, B, BY_ITSELF, C, inService, ORDERED, said, watch } from './store.testing.ts';

describe('history', () => {
  it('tells what was applied, what is good and what was taken back', async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    node.health.units.set('kubelet.service', { state: 'failed', restarts: 0 });
    await store.check();
    // A change that is taken back was never more than tried: it is in the list because it was on the node.
    expect(
      store
        .listGenerations()
        .map((one) => [one.number, one.generation, one.isActive, one.isLastKnownGood, one.bad?.code]),
    ).toEqual([
      [2, 2, false, false, 'verify/unit-failed'],
      [1, 1, true, true, undefined],
    ]);
  });

  it('is a way back, and what was left does not return by itself', async () => {
    const { node, store } = await inService();
    const before = node.snapshot();
    await store.apply(B, BY_ITSELF);
    await watch(node, store, 6);
    const outcome = await store.rollbackTo(1);
    expect([outcome.kind, outcome.slots.active?.number]).toEqual(['applied', 1]);
    expect(node.snapshot()).toEqual(before);
    expect(said(await store.apply(B, BY_ITSELF))).toEqual(['refused', 'plan/known-bad']);
    expect((await watch(node, store, 6)).kind).toBe('verified');
    expect((await store.apply(C, BY_ITSELF)).kind).toBe('applied');
  });

  it('without a number leads to the last known good, or to the one before', async () => {
    const { node, store } = await inService();
    await store.apply(B, BY_ITSELF);
    const { active, watch: watched } = (await store.rollbackTo()).slots;
    expect([active?.number, watched]).toEqual([1, undefined]);
    await store.apply(C, BY_ITSELF);
    await watch(node, store, 6);
    expect((await store.rollbackTo()).slots.active?.number).toBe(2);
  });

  it.each(['by itself', 'by order'])('leads back to a document, not to an address of then: %s', async (how) => {
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
    expect((await store.apply(store.active()!, BY_ITSELF)).kind).toBe('unchanged');
  });

  it('has no generation that was never there', async () => {
    const { store } = await inService();
    await expect(store.rollbackTo(9)).rejects.toMatchObject({ code: 'node/no-such-generation', exitCode: 1 });
  });
});
