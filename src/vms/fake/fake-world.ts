// vms/fake/fake-world.ts: the state of the fake provider, and the settings for tests.
import type { Clock } from '../../base/clock.ts';
import { NotFound, Refused } from '../../base/failures.ts';
import type { Definition, VersionSpec } from '../gallery.ts';
import type { Instance, InstanceRef, Model, Pool, PoolRef, TagChange } from '../pools.ts';
import type { Snapshot } from '../snapshots.ts';

export interface FakeInstance extends Instance {
  isSealed: boolean;
  hasRunBootstrap: boolean;
}

export interface FakePool extends Pool {
  /** Reads do not return it, as on Azure. */
  customData: string | undefined;
  /** By the name of the extension. Reads return public settings only with the whole model, and protected settings never. */
  settings: Record<string, Record<string, unknown>>;
  protectedSettings: Record<string, Readonly<Record<string, unknown>>>;
  instances: FakeInstance[];
}

export interface FakeSnapshot extends Snapshot {
  isSealed: boolean;
}

export interface FakeVersion extends VersionSpec {
  id: string;
  createdMs: number;
  isSealed: boolean;
}

export interface FakeProviderState {
  pools: Map<string, FakePool>;
  snapshots: Map<string, FakeSnapshot>;
  galleries: Set<string>;
  definitions: Map<string, Definition>;
  versions: Map<string, FakeVersion>;
}

export interface FakeWorld {
  clock: Clock;
  state: FakeProviderState;
  onPower: (instance: FakeInstance) => void;
  hasZoneRedundancy: boolean;
  /** How long a snapshot's bytes are still copied after it was created. */
  copyingMs: number;
  /** A lock forbids deletions, as one of Azure's does. */
  isDeleteLocked: boolean;
  /** One counter for instances and etags. */
  nextSerial(): number;
}

export function fakeWorld(clock: Clock): FakeWorld {
  let serial = 0;
  return {
    clock,
    state: {
      pools: new Map(),
      snapshots: new Map(),
      galleries: new Set(),
      definitions: new Map(),
      versions: new Map(),
    },
    onPower: () => undefined,
    hasZoneRedundancy: true,
    copyingMs: 0,
    isDeleteLocked: false,
    nextSerial: () => ++serial,
  };
}

export function addPool(world: FakeWorld, name: string, instances: number, model: Partial<Model> = {}): Pool {
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
    settings: { bootstrap: { commandToExecute: 'join' } },
    protectedSettings: {},
    instances: [],
  };
  world.state.pools.set(pool.ref.id, pool);
  for (let i = 0; i < instances; i++) makeInstance(world, pool);
  return pool;
}

/** Adds an instance from the current model. */
export function scaleOut(world: FakeWorld, ref: PoolRef): FakeInstance {
  const pool = poolIn(world, ref);
  const { image } = pool.model;
  if (image.kind === 'version' && !world.state.versions.has(image.id)) throw new NotFound(`image version ${image.id}`);
  return makeInstance(world, pool);
}

export function poolIn({ state }: FakeWorld, ref: PoolRef): FakePool {
  const pool = state.pools.get(ref.id);
  if (!pool) throw new NotFound(`pool ${ref.name}`);
  return pool;
}

export function instanceIn(world: FakeWorld, ref: InstanceRef): FakeInstance {
  const instance = poolIn(world, ref.pool).instances.find((i) => i.ref.id === ref.id);
  if (!instance) throw new NotFound(`instance ${ref.id} of ${ref.pool.name}`);
  return instance;
}

/** Changes the etag, on which model changes are conditional. */
export function bump(world: FakeWorld, pool: FakePool): void {
  pool.etag = `"${world.nextSerial()}"`;
}

export function requireDeletable({ isDeleteLocked }: FakeWorld, what: string): void {
  if (isDeleteLocked) throw new Refused(`deleting ${what}: ScopeLocked: its group is locked`);
}

/** The snapshot was created, but its bytes are still being copied. */
export function isCopying({ clock, copyingMs }: FakeWorld, { state, createdMs }: FakeSnapshot): boolean {
  return state === 'complete' && clock.nowMs() < createdMs + copyingMs;
}

export function tagsAfter(known: Readonly<Record<string, string>>, change: TagChange): Record<string, string> {
  const next: Record<string, string> = { ...known };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete next[key];
    else next[key] = value;
  }
  return next;
}

function makeInstance(world: FakeWorld, pool: FakePool): FakeInstance {
  const number = world.nextSerial();
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
    isSealed: image.kind === 'version' ? (world.state.versions.get(image.id)?.isSealed ?? false) : false,
    hasRunBootstrap: pool.customData !== undefined || pool.model.extensions.some((e) => e.type === 'CustomScript'),
  };
  pool.instances.push(instance);
  return instance;
}

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
