// vms/fake/fake-gallery.ts: galleries in memory, as ../gallery.ts specifies. A version takes time on the given clock to become ready.

import { NotFound, NoZoneRedundancy, Refused } from '../../base/failures.ts';
import { plainCopy } from '../../base/plain-copy.ts';
import type { Definition, Gallery, Version } from '../gallery.ts';
import type { ImageRef } from '../pools.ts';
import { type FakeVersion, type FakeWorld, isCopying, requireDeletable, tagsAfter } from './fake-world.ts';

const MAKING_MS = 60_000;
const REPLICATING_MS = 60_000;

const IMMUTABLE = ['osState', 'generation', 'architecture', 'publisher', 'offer', 'sku'] as const;

export function fakeGallery(world: FakeWorld): Gallery {
  const { state, clock } = world;
  const definitionsOf = (gallery: string) =>
    [...state.definitions.values()].filter((definition) => definition.gallery === gallery);
  return {
    readDefinition: async (gallery, name) => plainCopy(state.definitions.get(`${gallery}/${name}`)),
    async ensureDefinition(spec) {
      const key = `${spec.gallery}/${spec.name}`;
      const known = state.definitions.get(key);
      const differs = known && IMMUTABLE.find((field) => known[field] !== spec[field]);
      if (differs) throw new Refused(`${key} has ${differs} ${known[differs]}, not ${spec[differs]}`);
      const definition = known ?? { ...spec, id: `/galleries/${key}` };
      state.galleries.add(spec.gallery);
      state.definitions.set(key, definition);
      return plainCopy(definition);
    },
    async listDefinitions(gallery) {
      if (!state.galleries.has(gallery)) return undefined;
      return plainCopy(definitionsOf(gallery));
    },
    listVersions: async (definition) => versionsOf(world, definition).map((version) => seenVersion(world, version)),
    async readVersion(definition, name) {
      const version = versionsOf(world, definition).find((v) => v.name === name);
      return version && seenVersion(world, version);
    },
    async beginVersion(spec) {
      if (spec.redundancy === 'zone' && !world.hasZoneRedundancy) {
        throw new NoZoneRedundancy('the region has no zone-redundant storage');
      }
      const snapshot = [...state.snapshots.values()].find((s) => s.id === spec.snapshotId);
      if (!snapshot) throw new NotFound(`snapshot ${spec.snapshotId}`);
      if (isCopying(world, snapshot)) throw new Refused(`${snapshot.name} is not complete yet`);
      const id = `${spec.definition.id}/versions/${spec.name}`;
      if (state.versions.has(id)) return;
      state.versions.set(id, { ...plainCopy(spec), id, createdMs: clock.nowMs(), isSealed: snapshot.isSealed });
    },
    async setExcludedFromLatest(definition, name, isExcluded) {
      const version = versionsOf(world, definition).find((v) => v.name === name);
      if (!version) throw new NotFound(`version ${name}`);
      version.isExcludedFromLatest = isExcluded;
    },
    async tagVersion(definition, name, tags) {
      const version = versionsOf(world, definition).find((v) => v.name === name);
      if (!version) throw new NotFound(`version ${name}`);
      version.tags = tagsAfter(version.tags, tags);
    },
    async deleteVersion(definition, name) {
      requireDeletable(world, `version ${name}`);
      state.versions.delete(`${definition.id}/versions/${name}`);
    },
    async deleteDefinition(definition) {
      if (versionsOf(world, definition).length > 0) throw new Refused(`${definition.name} still has versions`);
      state.definitions.delete(`${definition.gallery}/${definition.name}`);
    },
    async deleteGallery(gallery) {
      if (definitionsOf(gallery).length > 0) throw new Refused(`${gallery} is not empty`);
      state.galleries.delete(gallery);
    },
    async referencedImages() {
      const references = new Set<string>();
      const add = (image: ImageRef | undefined) => image && 'id' in image && references.add(image.id);
      for (const pool of state.pools.values()) {
        add(pool.model.image);
        for (const instance of pool.instances) add(instance.image);
      }
      return references;
    },
  };
}

function versionsOf({ state }: FakeWorld, definition: Definition): FakeVersion[] {
  return [...state.versions.values()].filter((version) => version.definition.id === definition.id);
}

function seenVersion({ clock }: FakeWorld, version: FakeVersion): Version {
  const ageMs = clock.nowMs() - version.createdMs;
  const isMade = ageMs >= MAKING_MS;
  const isReplicated = ageMs >= MAKING_MS + REPLICATING_MS;
  return {
    name: version.name,
    id: version.id,
    state: isReplicated ? 'ready' : isMade ? 'replicating' : 'creating',
    percent: Math.min(100, Math.floor((ageMs / (MAKING_MS + REPLICATING_MS)) * 100)),
    isExcludedFromLatest: version.isExcludedFromLatest,
    replicas: version.replicas,
    redundancy: version.redundancy,
    sizeGb: 30,
    createdMs: version.createdMs,
    tags: version.tags,
  };
}
