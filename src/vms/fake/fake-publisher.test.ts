import { describe, expect, it } from 'vitest';
import { fakeClock } from '../../base/fake-clock.ts';
import { publisherSuite } from '../publisher.suite.ts';
import { fakeProvider } from './fake-provider.ts';
import { fakeLab } from './testing.ts';

publisherSuite('the fake', fakeLab);

describe('protected settings', () => {
  it('are stored for added extensions, never returned, and lost with their extension', async () => {
    const fake = fakeProvider(fakeClock());
    const { ref } = fake.addPool('p', 1);
    const state = fake.state.pools.get(ref.id)!;
    const saved = await fake.publisher.readModel(ref);
    const change = { image: saved.image, bootstrap: 'none' as const, tags: {} };
    const all = { keep: [], add: saved.extensions, protectedSettings: { bootstrap: { key: 'canary-8c' } } };
    await fake.publisher.changeModel(state, { ...change, extensions: all });
    expect(state.protectedSettings).toEqual({ bootstrap: { key: 'canary-8c' } });
    const reads = [await fake.publisher.readModel(ref), await fake.pools.readPool(ref)];
    expect(JSON.stringify(reads)).not.toContain('canary-8c');
    await fake.publisher.changeModel(state, { ...change, extensions: { keep: ['billing'], add: [] } });
    expect([state.protectedSettings, state.settings]).toEqual([{}, { billing: {} }]);
  });
});
