// vms/fake/fake-publisher.ts: models in memory, as ../publisher.ts specifies.

import { Conflict, NotFound } from '../../base/failures.ts';
import { plainCopy } from '../../base/plain-copy.ts';
import type { Model } from '../pools.ts';
import type { Publisher } from '../publisher.ts';
import { bump, type FakeWorld, poolIn, tagsAfter } from './fake-world.ts';

type SavedFakeExtension = Model['extensions'][number] & { settings?: Record<string, unknown> };

export function fakePublisher(world: FakeWorld): Publisher {
  const { state } = world;
  return {
    async readModel(ref) {
      const { model, settings } = poolIn(world, ref);
      const extensions = model.extensions.map((one) => ({ ...one, settings: settings[one.name] ?? {} }));
      return plainCopy({ image: model.image, extensions });
    },
    async changeModel(pool, change) {
      const known = poolIn(world, pool.ref);
      if (known.etag !== pool.etag) throw new Conflict(`${pool.ref.name} changed since it was read`);
      if (change.image.kind === 'version' && !state.versions.has(change.image.id))
        throw new NotFound(`image ${change.image.id}`);
      const { keep, add, after = {}, protectedSettings = {} } = change.extensions;
      const kept = known.model.extensions.filter((e) => keep.includes(e.name));
      const added = structuredClone(add) as SavedFakeExtension[];
      const extensions = [...kept, ...added.map(({ settings: _, ...one }) => one)];
      const names = new Set(extensions.map(({ name }) => name));
      const secrets = Object.fromEntries(
        added.flatMap(({ name }) => (protectedSettings[name] ? [[name, protectedSettings[name]]] : [])),
      );
      known.protectedSettings = { ...onlyOf(known.protectedSettings, names), ...secrets };
      known.settings = {
        ...onlyOf(known.settings, names),
        ...Object.fromEntries(added.map(({ name, settings = {} }) => [name, settings])),
      };
      known.model = {
        ...known.model,
        image: plainCopy(change.image),
        bootstrap: change.bootstrap === 'none' ? 'none' : 'unknown',
        extensions: extensions.map((one) => ({
          ...one,
          after: (after[one.name] ?? one.after).filter((name) => names.has(name)),
        })),
      };
      known.customData = change.bootstrap === 'none' ? undefined : change.bootstrap.customData;
      known.tags = tagsAfter(known.tags, change.tags);
      for (const instance of known.instances) instance.isOnLatestModel = false;
      bump(world, known);
    },
  };
}

function onlyOf<T>(values: Readonly<Record<string, T>>, names: ReadonlySet<string>): Record<string, T> {
  return Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
}
