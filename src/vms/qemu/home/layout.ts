// vms/qemu/home/layout.ts: paths, ids, locks and valid names under the home folder. Pure; no other file builds these paths.
import { join, relative } from 'node:path';
import { Refused } from '../../../base/failures.ts';
import { lockName } from '../../../host/lock-name.ts';
import type { InstanceRef, PoolRef } from '../../pools.ts';

export interface VersionId {
  gallery: string;
  definition: string;
  version: string;
}

/** Files of one instance, relative to its folder: QEMU runs there, so that its socket paths cannot be too long. */
export const instanceFiles = {
  record: 'instance.json',
  metadata: 'metadata.json',
  health: 'health.jsonl',
  disk: 'disk.qcow2',
  provisioning: 'provisioning.iso',
  /** Exists only while QEMU starts. */
  credential: 'bootstrap-kubeconfig',
  /** Events of the node joining its cluster. */
  clusterEvents: 'cluster-events.jsonl',
  console: 'console.log',
  log: 'qemu.log',
  pid: 'qemu.pid',
  qmp: 'qmp.sock',
  agent: 'agent.sock',
  /** How and when the instance was parked. Written last: without it, the other files of a freeze are not used. */
  parked: 'parked.json',
  /** The guest's memory, and the state of its devices, when it is frozen. */
  memory: 'memory.img',
  devices: 'devices.img',
  /** Exists only during a freeze: the state of the devices is complete. */
  devicesSaved: 'devices.saved',
  /** When the instance was claimed, and what followed, for its boot timeline. */
  claim: 'claim.json',
  /** What identified the instance when it was parked. */
  identity: 'identity.json',
} as const;

export const versionFileNames = {
  record: 'version.json',
  disk: 'disk.qcow2',
  vmlinux: 'vmlinux',
  initrd: 'initrd.cpio',
} as const;

export const snapshotRecord = 'snapshot.json';
export const definitionRecord = 'definition.json';
export const poolRecord = 'pool.json';
/** Why the last standby instance could not be prepared. */
export const standbyTrouble = 'standby-trouble.json';
/** The private key; the public key has the suffix `.pub`. */
export const poolKey = 'id_ed25519';

export const galleriesFolder = (home: string) => join(home, 'galleries');
export const galleryFolder = (home: string, gallery: string) =>
  join(galleriesFolder(home), checkName('gallery', gallery));
export const definitionFolder = (home: string, gallery: string, definition: string) =>
  join(galleryFolder(home, gallery), checkName('image definition', definition));
export const versionFolder = (home: string, { gallery, definition, version }: VersionId) =>
  join(definitionFolder(home, gallery, definition), checkVersion(version));

export const snapshotsFolder = (home: string) => join(home, 'snapshots');
export const snapshotFolder = (home: string, name: string) => join(snapshotsFolder(home), checkName('snapshot', name));

export const poolsFolder = (home: string) => join(home, 'pools');
export const poolFolder = (home: string, pool: string) => join(poolsFolder(home), checkPoolName(pool));
export const instancesFolder = (home: string, pool: string) => join(poolFolder(home, pool), 'instances');
export const instanceFolder = (home: string, ref: InstanceRef) =>
  join(instancesFolder(home, poolNameOf(ref.pool)), checkInstanceId(ref));

// Lock order: a pool's standby lock, then its own, then the snapshots' or a gallery's, then the home's.
/** Held briefly. Protects what pools share: addresses, and the references to image versions. */
export const homeLock = lockName('home');
export const snapshotsLock = lockName('snapshots');
export const baseImageLock = lockName('base-image');
/** Held while standby instances are prepared, which may take minutes. Taken before the pool's lock. */
export const standbyLock = (pool: string) => lockName(`standby-${checkPoolName(pool)}`);
/** Held for as long as an autoscaler's server has the pool. No other lock is held when it is taken. */
export const serverLock = (pool: string) => lockName(`server-${checkPoolName(pool)}`);
export const poolLock = (pool: string) => lockName(`pool-${checkPoolName(pool)}`);
/** Held while a version is made, which may take minutes. */
export const galleryLock = (gallery: string) => lockName(`gallery-${checkName('gallery', gallery)}`);

/** Overlays store relative paths, so that the home can be moved. */
export const relativePath = (folder: string, file: string) => relative(folder, file);

export const poolRef = (name: string): PoolRef => ({ id: `pools/${name}`, name });

export function poolNameOf(ref: PoolRef): string {
  const name = /^pools\/([^/]+)$/.exec(ref.id)?.[1];
  if (name === undefined) throw new Refused(`'${ref.id}' is not a pool of this machine`, 'vms/not-a-pool');
  return checkPoolName(name);
}

export const instanceId = (pool: string, number: number) => `${pool}-${String(number).padStart(6, '0')}`;
export const diskId = (ref: InstanceRef) => `${ref.pool.id}/instances/${ref.id}/${instanceFiles.disk}`;
export const providerId = (ref: InstanceRef) => `qemu:///${poolNameOf(ref.pool)}/${ref.id}`;

/** The second form is what a node builds from its Azure-like metadata. */
const PROVIDER_IDS = [
  /^qemu:\/\/\/([^/]+)\/([^/]+)$/,
  /^azure:\/\/\/subscriptions\/0{8}-0{4}-0{4}-0{4}-0{12}\/.*\/virtualMachineScaleSets\/([^/]+)\/virtualMachines\/([^/]+)$/,
];

export function parseProviderId(text: string): InstanceRef {
  const [, pool, id] = PROVIDER_IDS.map((form) => form.exec(text.trim())).find((found) => found !== null) ?? [];
  if (pool === undefined || id === undefined || !isPoolName(pool))
    throw new Refused(`'${text}' is not the provider id of an instance of this machine`, 'vms/not-an-instance');
  return { pool: poolRef(pool), id };
}

export function parseDiskId(id: string): InstanceRef | undefined {
  const [, pool, instance] = /^pools\/([^/]+)\/instances\/([^/]+)\/disk\.qcow2$/.exec(id) ?? [];
  if (pool === undefined || instance === undefined || !isPoolName(pool)) return undefined;
  return { pool: poolRef(pool), id: instance };
}

export const snapshotId = (name: string) => `snapshots/${name}`;

export function parseSnapshotId(id: string): string | undefined {
  const name = /^snapshots\/([^/]+)$/.exec(id)?.[1];
  return name !== undefined && isName(name) ? name : undefined;
}

export const definitionId = (gallery: string, definition: string) => `galleries/${gallery}/${definition}`;
export const versionId = ({ gallery, definition, version }: VersionId) =>
  `${definitionId(gallery, definition)}/${version}`;

export function parseVersionId(id: string): VersionId | undefined {
  const [, gallery, definition, version] = /^galleries\/([^/]+)\/([^/]+)\/([^/]+)$/.exec(id) ?? [];
  if (gallery === undefined || definition === undefined || version === undefined) return undefined;
  return isName(gallery) && isName(definition) && isVersion(version) ? { gallery, definition, version } : undefined;
}

export function parseDefinitionId(id: string): Omit<VersionId, 'version'> | undefined {
  const [, gallery, definition] = /^galleries\/([^/]+)\/([^/]+)$/.exec(id) ?? [];
  if (gallery === undefined || definition === undefined) return undefined;
  return isName(gallery) && isName(definition) ? { gallery, definition } : undefined;
}

// A name becomes a folder: it must not be hidden, contain `..`, or be too long for a file system. Host names start with the pool's name.
const isName = (text: string) => /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/.test(text);
const isVersion = (text: string) => /^\d{1,9}\.\d{1,9}\.\d{1,9}$/.test(text);
export const isPoolName = (text: string) => /^[a-z0-9](?:[a-z0-9-]{0,48}[a-z0-9])?$/.test(text);
const isInstanceId = (text: string) => /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/.test(text);

function checkName(what: string, name: string): string {
  if (isName(name)) return name;
  throw new Refused(
    `'${name}' is not a valid ${what} name: use letters, digits, dots, dashes and underscores, at most 100`,
    'vms/bad-name',
  );
}

function checkVersion(name: string): string {
  if (isVersion(name)) return name;
  throw new Refused(`'${name}' is not a valid image version name: use three numbers, as in 2026.11.15`, 'vms/bad-name');
}

function checkPoolName(name: string): string {
  if (isPoolName(name)) return name;
  throw new Refused(
    `'${name}' is not a valid pool name: use lower-case letters, digits and dashes, at most 50 (host names start with it)`,
    'vms/bad-name',
  );
}

function checkInstanceId({ id }: InstanceRef): string {
  if (isInstanceId(id)) return id;
  throw new Refused(`'${id}' is not the id of an instance of this machine`, 'vms/not-an-instance');
}
