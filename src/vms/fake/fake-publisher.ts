// vms/fake/fake-publisher.ts: models in memory, as ../publisher.ts specifies.

import { Conflict, NotFound } from '../../base/failures.ts';
import { plainCopy } from '../../base/plain-copy.ts';
import type { Model } from '../pools.ts';
import type { Publisher } from '../publisher.ts';
import { bump, type FakeWorld, poolIn, tagsAfter } from './fake-world.ts';

export function fakePublisher(world: FakeWorld): Publisher {
  const { state } = world;
  return {
    async readModel(ref) {
      const { model } = poolIn(world, ref);
      return plainCopy({ image: model.image, extensions: model.extensions });
    },
    async changeModel(pool, change) {
      const known = poolIn(world, pool.ref);
      if (known.etag !== pool.etag) throw new Conflict(`${pool.ref.name} changed since it was read`);
      if (change.image.kind === 'version' && !state.versions.has(change.image.id))
        throw new NotFound(`image ${change.image.id}`);
      const kept = known.model.extensions.filter((e) => change.extensions.keep.includes(e.name));
      known.model = {
        ...known.model,
        image: plainCopy(change.image),
        bootstrap: change.bootstrap === 'none' ? 'none' : 'unknown',
        extensions: [...kept, ...(change.extensions.add as Model['extensions'])],
      };
      known.customData = change.bootstrap === 'none' ? undefined : change.bootstrap.customData;
      known.tags = tagsAfter(known.tags, change.tags);
      for (const instance of known.instances) instance.isOnLatestModel = false;
      bump(world, known);
    },
  };
}
