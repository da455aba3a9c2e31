// vms/fake/testing.ts: what the suites need of the fake.
import { fakeClock } from '../../base/fake-clock.ts';
import type { Lab } from '../lab.testing.ts';
import { fakeFactory } from './fake-factory.ts';

export async function fakeLab(): Promise<Lab> {
  const clock = fakeClock();
  const factory = fakeFactory(clock);
  return {
    factory,
    clock,
    makePool: async (count) => {
      const { ref } = factory.addPool(`pool-${count}`, count, {
        extensions: [
          { name: 'bootstrap', publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript', after: [] },
          {
            name: 'health',
            publisher: 'Microsoft.ManagedServices',
            type: 'ApplicationHealthLinux',
            after: ['bootstrap'],
          },
        ],
      });
      const { instances } = factory.state.pools.get(ref.id)!;
      return { ref, providerIds: instances.map((instance) => `fake://${ref.name}/${instance.ref.id}`) };
    },
    grow: async (ref) => {
      const pool = factory.state.pools.get(ref.id)!;
      const { image } = factory.scaleOut(ref);
      const customData = pool.customData && Buffer.from(pool.customData, 'base64').toString();
      return { image: image!, ...(customData && { customData }), extensions: pool.model.extensions.map((e) => e.name) };
    },
    end: async () => undefined,
  };
}
