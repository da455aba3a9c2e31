// vms/fake/testing.ts: the lab that the contract suites use for the fake.
import { fakeClock } from '../../base/fake-clock.ts';
import type { Lab } from '../lab.testing.ts';
import { fakeProvider } from './fake-provider.ts';

export async function fakeLab(): Promise<Lab> {
  const clock = fakeClock();
  const provider = fakeProvider(clock);
  return {
    provider,
    clock,
    makePool: async (count) => {
      const { ref } = provider.addPool(`pool-${count}`, count, {
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
      const { instances } = provider.state.pools.get(ref.id)!;
      return { ref, providerIds: instances.map((instance) => `fake://${ref.name}/${instance.ref.id}`) };
    },
    grow: async (ref) => {
      const pool = provider.state.pools.get(ref.id)!;
      const { image } = provider.scaleOut(ref);
      const customData = pool.customData && Buffer.from(pool.customData, 'base64').toString();
      return { image: image!, ...(customData && { customData }), extensions: pool.model.extensions.map((e) => e.name) };
    },
    end: async () => undefined,
  };
}
