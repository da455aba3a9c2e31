// prototype/simulation/world.testing.ts: a pool, its cluster and its gallery in virtual time, with what is really true about them.

import type { Clock } from '../../base/clock.ts';
import { versionOfDay } from '../../base/clock.ts';
import type { ScriptResult } from '../../cluster/cluster.ts';
import { classifyPods } from '../../cluster/drain/which-pods.ts';
import { type FakeCluster, type FakePod, fakeCluster } from '../../cluster/fake/fake-cluster.ts';
import { type FakeInstance, type FakeProvider, fakeProvider } from '../../vms/fake/fake-provider.ts';
import type { FakePool } from '../../vms/fake/fake-world.ts';
import type { Version, VersionSpec } from '../../vms/gallery.ts';
import type { Instance, Model } from '../../vms/pools.ts';
import { inspectionOf } from '../donor/testing.ts';
import {
  AUTOSCALER_ANNOTATION,
  BOOTSTRAP_TAG,
  galleryName,
  KARPENTER_ANNOTATION,
  MODEL_TAG,
  PRIOR_ANNOTATION,
  prototypeDefinitionName,
  savedModelName,
  TAGS,
} from '../names.ts';
import { POOL, POOL_REF, pod } from '../testing.ts';
import type { SimProcess } from './process.testing.ts';
import { Scheduler } from './scheduler.testing.ts';

export const START_MS = Date.UTC(2026, 10, 15, 3, 0);
export const MINUTE = 60_000;
export const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

export interface WorldSetup {
  nodes: number;
  /** Versions of earlier days; the pool starts from the newest. */
  oldVersions: number;
  /** Nodes that an operator cordoned, guarded and protected before anything else. */
  cordoned: readonly number[];
  copyingMs: number;
  hasZoneRedundancy: boolean;
  /** After START_MS. */
  startsMs: number;
}

/** How the operator left a node. */
export interface NodeState {
  isUnschedulable: boolean | 'either';
  guard: string | undefined;
  protection: string;
}

interface PowerOff {
  by: string;
  pods: readonly SimPod[];
  /** The pods that the process which ordered it had seen last; absent if it was no order of a process. */
  podsSeen?: ReadonlySet<string> | undefined;
}

interface SimPod extends FakePod {
  addedMs: number;
}

/** Of one disk, by the id of its VM. */
interface DiskTruth {
  /** Ids of the runs that sealed it. */
  sealedBy: Set<string>;
  off?: PowerOff;
  boots: number;
}

interface VersionTruth {
  readyMs: number;
  failsMs: number;
  reason: string;
  snapshot: string;
}

export interface StoryLine {
  atMs: number;
  who: string;
  what: string;
}

export type Fault =
  | { kind: 'slow'; untilMs: number; takesMs: number }
  | { kind: 'fail'; untilMs: number; isApplied: boolean }
  | { kind: 'forbid'; untilMs: number; scope: 'all' | 'orders' }
  | { kind: 'no-capacity'; untilMs: number }
  | { kind: 'cluster-away'; untilMs: number }
  | { kind: 'throttle'; process: string; order: string; waitMs: number }
  | { kind: 'lose-answer'; process: string; order: string };

export const SECRET = Buffer.from('#cloud-config token: 3f9a-secret').toString('base64');

export class World {
  readonly scheduler: Scheduler;
  readonly clock: Clock = { nowMs: () => this.scheduler.nowMs, sleep: () => new Promise(() => undefined) };
  readonly provider: FakeProvider = fakeProvider(this.clock);
  readonly cluster: FakeCluster = fakeCluster(this.clock);
  readonly gallery = galleryName('lab');
  readonly pool: FakePool;
  readonly seed: number;

  readonly story: StoryLine[] = [];
  readonly violations: string[] = [];
  /** Who changes the world right now. */
  actor = 'the platform';

  readonly disks = new Map<string, DiskTruth>();
  readonly operations = new Map<string, 'starting' | 'stopping'>();
  readonly readings = new Map<string, { power: Instance['power']; untilMs: number }>();
  readonly expected = new Map<string, NodeState>();
  /** By name: why no version may be made from it. */
  readonly snapshotFlaws = new Map<string, string | undefined>();
  readonly versions = new Map<string, VersionTruth>();
  /** Ids of versions that a rollback left. */
  readonly left = new Set<string>();
  /** Names of versions that a rollback marked, whether or not it could change the model afterwards. */
  readonly judgedBad = new Set<string>();
  /** The image that a person last set, as JSON. */
  personImage: string;
  faults: Fault[] = [];
  versionMs = 2 * MINUTE;
  versionFailures: { times: number; afterMs: number; reason: string } | undefined;
  /** An operator destroyed every mark of a donor that was out of service. */
  readonly unmarked = new Set<string>();
  /** Who last ordered a stop, by the id of the instance. */
  readonly stopOrders = new Map<string, SimProcess>();
  /** By the holder of the Lease. */
  readonly processNames = new Map<string, string>();
  readonly processes: SimProcess[] = [];
  secretDeletedMs = Number.NEGATIVE_INFINITY;
  /** A process ended or died since this was last reset. */
  hasEnded = false;
  /** How often a person gave the pool a new recipe. */
  recipes = 0;
  private pods = 0;

  constructor(seed: number, setup: WorldSetup) {
    this.seed = seed;
    this.scheduler = new Scheduler(START_MS + setup.startsMs);
    this.provider.copyingMs = setup.copyingMs;
    this.provider.hasZoneRedundancy = setup.hasZoneRedundancy;
    this.provider.addPool(POOL, 0);
    this.pool = this.provider.state.pools.get(`/pools/${POOL}`)!;
    this.pool.customData = SECRET;
    this.personImage = JSON.stringify(this.pool.model.image);
    this.cluster.runScript = (node, script) => this.runScript(node, script);
    this.provider.onPower = (instance) => this.noticePower(instance);
    this.addHistory(setup.oldVersions);
    for (let i = 0; i < setup.nodes; i++) this.addInstance(0);
    for (const index of setup.cordoned) this.leaveCordoned(this.pool.instances[index]!);
    for (const { computerName } of this.pool.instances) {
      this.addPod(computerName);
      this.addPod(computerName);
      this.cluster.pods.push({ ...pod(`agent-${computerName}`, computerName), ownerKind: 'DaemonSet' });
    }
  }

  get nowMs(): number {
    return this.scheduler.nowMs;
  }

  tell(who: string, what: string): void {
    this.story.push({ atMs: this.nowMs, who, what });
  }

  violated(what: string): void {
    if (!this.violations.includes(what)) this.violations.push(what);
  }

  /** Changes the world in the name of this actor. */
  as<T>(actor: string, change: () => T): T {
    const before = this.actor;
    this.actor = actor;
    try {
      return change();
    } finally {
      this.actor = before;
    }
  }

  diskOf(vmId: string): DiskTruth {
    const known = this.disks.get(vmId) ?? { boots: 1, sealedBy: new Set<string>() };
    this.disks.set(vmId, known);
    return known;
  }

  instanceOf(nodeName: string): FakeInstance | undefined {
    return this.pool.instances.find(({ computerName }) => computerName === nodeName);
  }

  isOut({ computerName, tags }: FakeInstance): boolean {
    const annotations = this.cluster.nodes.get(computerName)?.annotations;
    return annotations?.[PRIOR_ANNOTATION] !== undefined || tags['headstart-donor-of'] !== undefined;
  }

  /** What a read of the instance says. */
  readingOf(instance: Instance): Instance['power'] {
    const reading = this.readings.get(instance.vmId);
    if (reading && reading.untilMs > this.nowMs) return reading.power;
    return this.operations.get(instance.vmId) ?? instance.power;
  }

  seenVersion(version: Version): Version {
    const truth = this.versions.get(version.id);
    if (!truth) return version;
    if (this.nowMs >= truth.failsMs) return { ...version, state: 'failed', failure: truth.reason };
    if (this.nowMs < truth.readyMs) return { ...version, state: 'creating', percent: 50 };
    return { ...version, state: 'ready', percent: 100 };
  }

  isReady(versionId: string): boolean {
    const truth = this.versions.get(versionId);
    return truth !== undefined && this.nowMs >= truth.readyMs && this.nowMs < truth.failsMs;
  }

  setPower(instance: FakeInstance, power: Instance['power']): void {
    if (instance.power === power) return;
    instance.power = power;
    this.noticePower(instance);
  }

  addInstance(bootMs: number): FakeInstance | undefined {
    const { image } = this.pool.model;
    if (image.kind === 'version' && !this.provider.state.versions.has(image.id)) return undefined;
    const instance = this.provider.scaleOut(this.pool.ref);
    this.pool.capacity = this.pool.instances.length;
    this.register(instance, bootMs);
    return instance;
  }

  removeInstance(instance: FakeInstance): void {
    const at = this.pool.instances.indexOf(instance);
    if (at < 0) return;
    this.pool.instances.splice(at, 1);
    this.pool.capacity = this.pool.instances.length;
    const { computerName, vmId } = instance;
    this.operations.delete(vmId);
    this.cluster.touch(computerName, { isReady: false });
    this.scheduler.after(MINUTE, () => {
      if (!this.instanceOf(computerName)) this.removeNode(computerName);
    });
  }

  /** Another machine under the same name. */
  replaceInstance(instance: FakeInstance): void {
    const at = this.pool.instances.indexOf(instance);
    const { image } = this.pool.model;
    if (at < 0 || (image.kind === 'version' && !this.provider.state.versions.has(image.id))) return;
    const made = this.provider.scaleOut(this.pool.ref);
    this.pool.instances.pop();
    this.operations.delete(instance.vmId);
    this.pool.instances[at] = { ...made, computerName: instance.computerName };
    this.expected.delete(instance.computerName);
    this.removeNode(instance.computerName);
    this.register(this.pool.instances[at]!, MINUTE);
  }

  removeNode(name: string): void {
    this.cluster.nodes.delete(name);
    this.cluster.pods = this.cluster.pods.filter(({ nodeName }) => nodeName !== name);
  }

  /** A running kubelet makes its Node again, without what was set on the old one. */
  deleteNode(name: string): void {
    this.removeNode(name);
    const instance = this.instanceOf(name);
    if (instance) this.register(instance, MINUTE);
  }

  /** Lets the world schedule a pod on the node if it accepts pods then. */
  addPodAfter(ms: number, nodeName: string): void {
    this.scheduler.after(ms, () => {
      const node = this.cluster.nodes.get(nodeName);
      if (node?.isReady && !node.isUnschedulable && node.taints.length === 0) this.addPod(nodeName);
    });
  }

  /** A person gives the pool a new image with its bootstrap; the tags of runs stay. */
  setRecipe(): void {
    const number = ++this.recipes;
    const { model } = this.pool;
    this.pool.model = {
      ...model,
      image: { kind: 'marketplace', publisher: 'debian', offer: 'debian-12', sku: '12-gen2', version: `12.${number}` },
      bootstrap: 'unknown',
      extensions: [
        ...model.extensions.filter(({ type }) => type !== 'CustomScript'),
        { name: 'bootstrap', publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript', after: [] },
      ],
    };
    this.pool.customData = SECRET;
    this.personImage = JSON.stringify(this.pool.model.image);
    this.touchPool();
  }

  touchPool(): void {
    this.pool.etag = `"${this.provider.nextSerial()}"`;
  }

  versionBegan({ definition, name, snapshotId }: VersionSpec): void {
    const id = `${definition.id}/versions/${name}`;
    if (this.provider.state.versions.get(id)?.createdMs !== this.nowMs) return;
    const failure = this.versionFailures;
    if (failure && --failure.times <= 0) this.versionFailures = undefined;
    this.versions.set(id, {
      readyMs: failure ? Number.POSITIVE_INFINITY : this.nowMs + this.versionMs,
      failsMs: failure ? this.nowMs + failure.afterMs : Number.POSITIVE_INFINITY,
      reason: failure?.reason ?? '',
      snapshot: snapshotId,
    });
  }

  /** After a request for the hold, which may have been refused. */
  holdRequested(by: SimProcess): void {
    if (![...this.cluster.leases.values()].some(({ holder }) => holder === by.id)) return;
    by.hasHeld = true;
    for (const process of this.processes) if (process !== by && process.hasHeld) process.hasLostHold = true;
  }

  /** Ends everything that the platform and the network did, and starts the machines that others than runs stopped. */
  calm(): void {
    this.faults = [];
    this.versionFailures = undefined;
    this.versionMs = 2 * MINUTE;
    this.readings.clear();
    this.cluster.blocked.clear();
    for (const instance of this.pool.instances) {
      const by = this.diskOf(instance.vmId).off?.by;
      if (instance.power !== 'running' && (by === 'operator' || by === 'platform')) this.setPower(instance, 'running');
    }
  }

  movablePods(nodeName: string): SimPod[] {
    const here = this.cluster.pods.filter((one) => one.nodeName === nodeName) as SimPod[];
    return classifyPods(here, { isForced: true }).evict;
  }

  private addPod(nodeName: string): void {
    const made = pod(`web-${++this.pods}`, nodeName);
    this.cluster.pods.push({ ...made, addedMs: this.nowMs } as SimPod);
  }

  private register(instance: FakeInstance, bootMs: number): void {
    const { computerName, vmId, ref } = instance;
    this.expected.set(computerName, {
      isUnschedulable: false,
      guard: undefined,
      protection: this.expected.get(computerName)?.protection ?? JSON.stringify(instance.protection),
    });
    const join = () => {
      const isSame = this.instanceOf(computerName)?.vmId === vmId;
      if (!isSame || this.cluster.nodes.has(computerName) || instance.power !== 'running') return;
      this.cluster.addNode(computerName, {
        providerId: `fake://${this.pool.ref.name}/${ref.id}`,
        systemUuid: vmId,
        bootId: `boot-${this.diskOf(vmId).boots}`,
        readySinceMs: bootMs === 0 ? this.nowMs - DAY : this.nowMs,
      });
    };
    if (bootMs === 0) join();
    else this.scheduler.after(bootMs, join);
  }

  /** Kubelet and the cloud's node controller notice a stop and a start some time later. */
  private noticePower(instance: FakeInstance): void {
    const { computerName, vmId } = instance;
    const disk = this.diskOf(vmId);
    const serial = ++disk.boots;
    const isStill = () => disk.boots === serial && this.instanceOf(computerName)?.vmId === vmId;
    if (instance.power === 'running') {
      delete disk.off;
      this.scheduler.after(30_000, () => {
        if (!isStill()) return;
        if (!this.cluster.nodes.has(computerName)) this.register(instance, 1);
        this.cluster.touch(computerName, { isReady: true, readySinceMs: this.nowMs, bootId: `boot-${serial}` });
      });
      this.scheduler.after(MINUTE, () => {
        if (isStill()) this.cluster.touch(computerName, { taints: [] });
      });
      return;
    }
    const ordered = this.stopOrders.get(instance.ref.id);
    const podsSeen = ordered?.id === this.actor ? ordered.podsSeen.get(computerName) : undefined;
    disk.off = { by: this.actor, pods: this.movablePods(computerName), podsSeen };
    this.scheduler.after(50_000, () => {
      const shutdown = { key: 'node.cloudprovider.kubernetes.io/shutdown', effect: 'NoSchedule' };
      if (isStill()) this.cluster.touch(computerName, { isReady: false, taints: [shutdown] });
    });
  }

  private runScript(nodeName: string, script: string): ScriptResult {
    const instance = this.instanceOf(nodeName);
    if (instance?.power !== 'running') return { exitCode: 1, stdout: '', stderr: 'the helper pod did not start' };
    if (script.includes("custom_data='yes'")) {
      const found = instance.hasRunBootstrap ? [`custom-data\t/var/lib/waagent/ovf-env.xml\t${SECRET}`] : [];
      const lines = ['joins-by-unit\theadstart-node.service', ...found];
      return { exitCode: 0, stdout: inspectionOf(instance.vmId, ...lines), stderr: '' };
    }
    if (script.slice(-400).includes(`'seal' '--donor-id' '${instance.vmId}'`)) {
      instance.isSealed = true;
      this.diskOf(instance.vmId).sealedBy.add(this.actor);
    }
    return { exitCode: 0, stdout: SEALED, stderr: '' };
  }

  private leaveCordoned(instance: FakeInstance): void {
    const { computerName } = instance;
    instance.protection = { fromScaleIn: true, fromPoolActions: false };
    this.cluster.touch(computerName, { isUnschedulable: true, annotations: { [AUTOSCALER_ANNOTATION]: 'false' } });
    const protection = JSON.stringify(instance.protection);
    this.expected.set(computerName, { isUnschedulable: true, guard: 'false', protection });
  }

  private addHistory(count: number): void {
    if (count === 0) return;
    const { osState, architecture, securityType } = this.pool.model;
    const generation = 'V2' as const;
    const name = prototypeDefinitionName(POOL_REF);
    const spec = { gallery: this.gallery, name, osState, generation, architecture, securityType };
    const owner = { publisher: 'headstart', offer: this.gallery, sku: POOL };
    const definition = { ...spec, ...owner, id: `/galleries/${this.gallery}/${name}` };
    const { state } = this.provider;
    state.galleries.add(this.gallery);
    state.definitions.set(`${this.gallery}/${name}`, definition);
    for (let day = count; day > 0; day--) {
      const createdMs = START_MS - day * DAY;
      const version = versionOfDay(createdMs);
      const id = `${definition.id}/versions/${version}`;
      const region = 'here';
      const tags = { [TAGS.donor]: `${POOL}-gone`, [TAGS.version]: version, [TAGS.run]: `run-${day}` };
      state.versions.set(id, {
        ...{ definition, name: version, id, createdMs, region, tags, replicas: 3, redundancy: 'local' },
        ...{ isExcludedFromLatest: false, isSealed: true, snapshotId: '/snapshots/gone' },
      });
      this.versions.set(id, {
        readyMs: createdMs,
        failsMs: Number.POSITIVE_INFINITY,
        reason: '',
        snapshot: '/snapshots/gone',
      });
      if (day === 1) this.pointAt(id, version);
    }
    const recipe = { image: JSON.parse(this.personImage) as Model['image'], customData: SECRET, extensions: SCRIPT };
    this.cluster.secrets.set(savedModelName(POOL_REF), { recipe: JSON.stringify(recipe) });
  }

  private pointAt(id: string, version: string): void {
    const { model } = this.pool;
    this.pool.model = {
      ...model,
      image: { kind: 'version', id },
      bootstrap: 'none',
      extensions: model.extensions.filter(({ type }) => type !== 'CustomScript'),
    };
    this.pool.customData = undefined;
    this.pool.tags = { [BOOTSTRAP_TAG]: 'none', [MODEL_TAG]: version };
  }
}

const SCRIPT: Model['extensions'] = [
  { name: 'bootstrap', publisher: 'Microsoft.Azure.Extensions', type: 'CustomScript', after: [] },
];

const SEAL_ITEMS = [
  ...['tools', 'systemd', 'kubelet', 'vm-id', 'serving-certificate', 'script', 'unit', 'finish-unit', 'owner'],
  ...['link', 'drop-in'],
];
const SEALED = SEAL_ITEMS.map((item) => `${item}=ok\n`).join('');

/** The annotations that keep autoscalers from removing a node. */
export function isGuardedNode(annotations: Readonly<Record<string, string>> | undefined): boolean {
  return annotations?.[AUTOSCALER_ANNOTATION] === 'true' || annotations?.[KARPENTER_ANNOTATION] === 'true';
}
