// vms/fake/fake-factory.ts: a factory in memory that keeps its promises: small, real, and open to look into.
import type { CallOptions } from '../../base/call-options.ts';
import type { Clock } from '../../base/clock.ts';
import { Conflict, NotFound, Refused } from '../../base/failures.ts';
import type {
  Definition,
  Factory,
  ImageRef,
  Instance,
  InstanceRef,
  Model,
  Pool,
  PoolRef,
  Recipe,
  Snapshot,
  Version,
  VersionSpec,
} from '../factory.ts';

const MAKING_MS = 60_000;
const REPLICATING_MS = 60_000;

export interface FakeInstance extends Instance {
  /** What the disk holds besides an operating system. */
  isSealed: boolean;
  hasRunBootstrap: boolean;
}

interface FakePool extends Pool {
  /** Never given back by a read, as in the cloud. */
  customData: string | undefined;
  instances: FakeInstance[];
}

interface FakeSnapshot extends Snapshot {
  isSealed: boolean;
}

interface FakeVersion extends VersionSpec {
  id: string;
  createdMs: number;
  isSealed: boolean;
}

export interface FakeFactoryState {
  pools: Map<string, FakePool>;
  snapshots: Map<string, FakeSnapshot>;
  galleries: Set<string>;
  definitions: Map<string, Definition>;
  versions: Map<string, FakeVersion>;
}

export interface FakeFactory extends Factory {
  state: FakeFactoryState;
  addPool(name: string, instances: number, model?: Partial<Model>): Pool;
  /** A new instance from the model as it is now. */
  scaleOut(pool: PoolRef): FakeInstance;
  onPower: (instance: FakeInstance) => void;
  hasZoneRedundancy: boolean;
  /** How long after its order a snapshot's bytes are still being copied. */
  copyingMs: number;
}

export function fakeFactory(clock: Clock): FakeFactory {
  const state: FakeFactoryState = {
    pools: new Map(),
    snapshots: new Map(),
    galleries: new Set(),
    definitions: new Map(),
    versions: new Map(),
  };
  let serial = 0;

  const poolOf = (ref: PoolRef): FakePool => {
    const pool = state.pools.get(ref.id);
    if (!pool) throw new NotFound(`pool ${ref.name}`);
    return pool;
  };
  const instanceOf = (ref: InstanceRef): FakeInstance => {
    const instance = poolOf(ref.pool).instances.find((i) => i.ref.id === ref.id);
    if (!instance) throw new NotFound(`instance ${ref.id} of ${ref.pool.name}`);
    return instance;
  };
  const setPower = (ref: InstanceRef, power: Instance['power'], options?: CallOptions) => {
    options?.signal?.throwIfAborted();
    const instance = instanceOf(ref);
    if (instance.power === power) return;
    instance.power = power;
    factory.onPower(instance);
  };
  const seenVersion = (version: FakeVersion): Version => {
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
  };
  const isCopying = ({ state: known, createdMs }: FakeSnapshot) =>
    known === 'complete' && clock.nowMs() < createdMs + factory.copyingMs;
  const versionsOf = (definition: Definition) =>
    [...state.versions.values()].filter((version) => version.definition.id === definition.id);
  const bump = (pool: FakePool) => {
    pool.etag = `"${++serial}"`;
  };
  const makeInstance = (pool: FakePool): FakeInstance => {
    const number = ++serial;
    const { image } = pool.model;
    const instance: FakeInstance = {
      ref: { pool: pool.ref, id: String(number) },
      computerName: `${pool.ref.name}-${String(number).padStart(6, '0')}`,
      vmId: `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`,
      power: 'running',
      protection: { fromScaleIn: false, fromPoolActions: false },
      isOnLatestModel: true,
      image,
      osDisk: { id: `/disks/${pool.ref.name}-${number}`, sizeGb: 30 },
      isSpot: false,
      tags: {},
      isSealed: image.kind === 'version' ? (state.versions.get(image.id)?.isSealed ?? false) : false,
      hasRunBootstrap: pool.customData !== undefined || pool.model.extensions.some((e) => e.type === 'CustomScript'),
    };
    pool.instances.push(instance);
    return instance;
  };

  const factory: FakeFactory = {
    state,
    hasZoneRedundancy: true,
    copyingMs: 0,
    onPower: () => undefined,
    addPool(name, instances, model = {}) {
      const pool: FakePool = {
        ref: { id: `/pools/${name}`, name },
        etag: '"0"',
        region: 'here',
        state: 'ready',
        model: { ...GENERIC, ...model },
        hasInstanceRepair: false,
        capacity: instances,
        tags: {},
        customData: 'Ym9vdHN0cmFw',
        instances: [],
      };
      state.pools.set(pool.ref.id, pool);
      for (let i = 0; i < instances; i++) makeInstance(pool);
      return pool;
    },
    scaleOut: (ref) => {
      const pool = poolOf(ref);
      const { image } = pool.model;
      if (image.kind === 'version' && !state.versions.has(image.id)) throw new NotFound(`image version ${image.id}`);
      return makeInstance(pool);
    },

    async locate(providerId) {
      for (const pool of state.pools.values()) {
        const found = pool.instances.find((instance) => providerId === `fake://${pool.ref.name}/${instance.ref.id}`);
        if (found) return found.ref;
      }
      throw new Refused(`${providerId} is not an instance of a pool`);
    },
    async readPool(ref) {
      const pool = state.pools.get(ref.id);
      if (!pool) return undefined;
      const { customData: _, instances: __, ...seen } = pool;
      return structuredClone(seen);
    },
    async readInstance(ref) {
      const instance = state.pools.get(ref.pool.id)?.instances.find((i) => i.ref.id === ref.id);
      return instance && structuredClone(instance);
    },
    listInstances: async (ref) => structuredClone(poolOf(ref).instances),

    stop: async (ref, options) => setPower(ref, 'stopped', options),
    stopAndRelease: async (ref, options) => setPower(ref, 'deallocated', options),
    start: async (ref, options) => setPower(ref, 'running', options),
    async setProtection(ref, protection) {
      instanceOf(ref).protection = { ...protection };
    },
    async tagInstance(ref, tags) {
      const instance = instanceOf(ref);
      instance.tags = merged(instance.tags, tags);
    },

    async readSnapshot(name) {
      const snapshot = state.snapshots.get(name);
      return (
        snapshot && structuredClone(isCopying(snapshot) ? { ...snapshot, state: 'creating', percent: 0 } : snapshot)
      );
    },
    async createSnapshot({ name, sourceDiskId, tags }) {
      const owner = [...state.pools.values()]
        .flatMap((pool) => pool.instances)
        .find((i) => i.osDisk?.id === sourceDiskId);
      if (!owner) throw new NotFound(`disk ${sourceDiskId}`);
      if (owner.power === 'running')
        throw new Refused(`${owner.computerName} is running: a copy of its disk would be torn`);
      state.snapshots.set(name, {
        name,
        id: `/snapshots/${name}`,
        state: 'complete',
        percent: 100,
        sourceDiskId,
        createdMs: clock.nowMs(),
        tags: { ...tags },
        isSealed: owner.isSealed,
      });
    },
    async deleteSnapshot(name) {
      state.snapshots.delete(name);
    },

    readDefinition: async (gallery, name) => structuredClone(state.definitions.get(`${gallery}/${name}`)),
    async ensureDefinition(spec) {
      const key = `${spec.gallery}/${spec.name}`;
      const known = state.definitions.get(key);
      const differs = known && IMMUTABLE.find((field) => known[field] !== spec[field]);
      if (differs) throw new Refused(`${key} has ${differs} ${known[differs]}, not ${spec[differs]}`);
      const definition = known ?? { ...spec, id: `/galleries/${key}` };
      state.galleries.add(spec.gallery);
      state.definitions.set(key, definition);
      return structuredClone(definition);
    },
    async listDefinitions(gallery) {
      if (!state.galleries.has(gallery)) return undefined;
      return structuredClone([...state.definitions.values()].filter((definition) => definition.gallery === gallery));
    },
    listVersions: async (definition) => versionsOf(definition).map(seenVersion),
    async readVersion(definition, name) {
      const version = versionsOf(definition).find((v) => v.name === name);
      return version && seenVersion(version);
    },
    async beginVersion(spec) {
      if (spec.redundancy === 'zone' && !factory.hasZoneRedundancy) {
        throw new Refused('the region has no zone-redundant storage', 'vms/no-zone-redundancy');
      }
      const snapshot = [...state.snapshots.values()].find((s) => s.id === spec.snapshotId);
      if (!snapshot) throw new NotFound(`snapshot ${spec.snapshotId}`);
      if (isCopying(snapshot)) throw new Refused(`${snapshot.name} is not whole yet`);
      const id = `${spec.definition.id}/versions/${spec.name}`;
      if (state.versions.has(id)) return;
      state.versions.set(id, { ...structuredClone(spec), id, createdMs: clock.nowMs(), isSealed: snapshot.isSealed });
    },
    async setExcludedFromLatest(definition, name, isExcluded) {
      const version = versionsOf(definition).find((v) => v.name === name);
      if (!version) throw new NotFound(`version ${name}`);
      version.isExcludedFromLatest = isExcluded;
    },
    async tagVersion(definition, name, tags) {
      const version = versionsOf(definition).find((v) => v.name === name);
      if (!version) throw new NotFound(`version ${name}`);
      version.tags = merged(version.tags, tags);
    },
    async deleteVersion(definition, name) {
      state.versions.delete(`${definition.id}/versions/${name}`);
    },
    async deleteDefinition(definition) {
      if (versionsOf(definition).length > 0) throw new Refused(`${definition.name} still has versions`);
      state.definitions.delete(`${definition.gallery}/${definition.name}`);
    },
    async deleteGallery(gallery) {
      if ((await factory.listDefinitions(gallery))?.length) throw new Refused(`${gallery} is not empty`);
      state.galleries.delete(gallery);
    },

    async readRecipe(ref): Promise<Recipe> {
      const { model } = poolOf(ref);
      return structuredClone({ image: model.image, extensions: model.extensions });
    },
    async changeModel(pool, change) {
      const known = poolOf(pool.ref);
      if (known.etag !== pool.etag) throw new Conflict(`${pool.ref.name} was changed by somebody else`);
      if (change.image.kind === 'version' && !state.versions.has(change.image.id))
        throw new NotFound(`image ${change.image.id}`);
      const kept = known.model.extensions.filter((e) => change.extensions.keep.includes(e.name));
      known.model = {
        ...known.model,
        image: structuredClone(change.image),
        bootstrap: change.bootstrap === 'none' ? 'none' : 'unknown',
        extensions: [...kept, ...(change.extensions.add as Model['extensions'])],
      };
      known.customData = change.bootstrap === 'none' ? undefined : change.bootstrap.customData;
      known.tags = merged(known.tags, change.tags);
      for (const instance of known.instances) instance.isOnLatestModel = false;
      bump(known);
    },
    async tagPool(ref, tags) {
      const pool = poolOf(ref);
      pool.tags = merged(pool.tags, tags);
      bump(pool);
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
  return factory;
}

const IMMUTABLE = ['osState', 'generation', 'architecture', 'publisher', 'offer', 'sku'] as const;

const GENERIC: Model = {
  image: { kind: 'marketplace', publisher: 'debian', offer: 'debian-12', sku: '12-gen2', version: 'latest' },
  os: 'linux',
  osState: 'generalized',
  bootstrap: 'unknown',
  extensions: [
    { name: 'bootstrap', publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript', after: [] },
    { name: 'billing', publisher: 'Microsoft.AKS', type: 'Compute.AKS.Linux.Billing', after: [] },
  ],
  generation: 'V2',
  architecture: 'x64',
  securityType: 'Standard',
  hasEphemeralDisk: false,
  isSpot: false,
  upgrades: 'manual',
  hasAutomaticOsUpgrade: false,
};

function merged(known: Readonly<Record<string, string>>, change: Readonly<Record<string, string | null>>) {
  const next: Record<string, string> = { ...known };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete next[key];
    else next[key] = value;
  }
  return next;
}
