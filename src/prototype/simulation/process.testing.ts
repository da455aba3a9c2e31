// prototype/simulation/process.testing.ts: one headstart process on its own machine. Each of its calls takes virtual time; it may sleep, die
// or have a wrong clock.

import type { CallOptions } from '../../base/call-options.ts';
import type { Clock } from '../../base/clock.ts';
import { Interrupted, TransientError } from '../../base/errors.ts';
import { Conflict, Forbidden, NoCapacity, Throttled, TooLate } from '../../base/failures.ts';
import type { Cluster, Pod } from '../../cluster/cluster.ts';
import type { Version } from '../../vms/gallery.ts';
import type { Instance, InstanceRef } from '../../vms/pools.ts';
import type { VmProvider } from '../../vms/provider.ts';
import type { RunEvent } from '../run/run-event.ts';
import type { Site } from '../site.ts';
import { POOL } from '../testing.ts';
import { fraction } from './chance.testing.ts';
import { holderOf, judgeEffect, judgeOrder, judgeText } from './judge-order.testing.ts';
import { type Fault, MINUTE, type World } from './world.testing.ts';

export type ProcessEnd = { value: unknown } | { error: unknown };

interface Wait {
  signal: AbortSignal | undefined;
  reject(reason: unknown): void;
}

interface Call {
  group: string;
  name: string;
  kind: CallKind;
  args: readonly unknown[];
  options: CallOptions;
  index: number;
  invoke(): Promise<unknown>;
  isAwaited(): boolean;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** An order changes VMs, snapshots, versions or the model; the rest of what is no read changes the cluster. */
type CallKind = 'read' | 'order' | 'power' | 'cluster';

const READS = /^(read|list|locate|find|referenced)/;
const POWER = /^(stop|start|deallocate)$/;
const WAITING_MS = 30_000;
/** A connection that is silent for longer is lost, and the request is sent again. */
const LOST_MS = 2 * MINUTE;

export class SimProcess {
  readonly clock: Clock;
  readonly site: Site;
  readonly startedMs: number;
  end: ProcessEnd | undefined;
  isDead = false;
  /** Total time of its machine's sleep. */
  sleptMs = 0;
  /** Of the last list of pods, per node: the ids of those that a drain would move. */
  readonly podsSeen = new Map<string, ReadonlySet<string>>();
  hasHeld = false;
  /** What it made or changed that stays: `a snapshot`, `a version`, `the model`. */
  readonly made = new Set<string>();
  /** Another process took the pool over. */
  hasLostHold = false;
  private asleepUntilMs = 0;
  private skewMs = 0;
  private calls = 0;
  private readonly waits = new Set<Wait>();
  private readonly interrupts = new AbortController();
  /** Called for the id of each step that begins. */
  onStep: (step: string) => void = () => undefined;
  private readonly world: World;
  /** The holder of the Lease. */
  readonly id: string;
  /** As the story calls it. */
  readonly name: string;

  constructor(world: World, id: string, name: string) {
    this.world = world;
    this.id = id;
    this.name = name;
    this.startedMs = world.nowMs;
    this.clock = {
      nowMs: () => world.nowMs + this.skewMs,
      monotonicMs: () => world.nowMs - this.startedMs, // counts sleep, as on Linux
      sleep: (ms, signal) => this.sleep(ms, signal),
    };
    const { pools, snapshots, gallery, publisher } = world.provider;
    const provider: VmProvider = {
      pools: this.wrap('pools', pools),
      snapshots: this.wrap('snapshots', snapshots),
      gallery: this.wrap('gallery', gallery),
      publisher: this.wrap('publisher', publisher),
    };
    const cluster = this.wrap<Cluster>('cluster', world.cluster);
    // One request, as a list of the resource group is.
    const groupPools = async (signal?: AbortSignal) => [
      await provider.pools.findPool(POOL, { ...(signal && { signal }) }),
    ];
    this.site = { provider, cluster, hasCluster: true, groupPools, channel: 'private', gallery: world.gallery };
  }

  get isActive(): boolean {
    return !this.isDead && this.end === undefined;
  }

  get signal(): AbortSignal {
    return this.interrupts.signal;
  }

  start(work: () => Promise<unknown>): void {
    const { scheduler } = this.world;
    const ended = (end: ProcessEnd) => {
      if (!this.isDead) this.end = end;
      this.world.hasEnded = true;
      scheduler.answered();
    };
    scheduler.answered();
    work().then(
      (value) => ended({ value }),
      (error: unknown) => ended({ error }),
    );
  }

  readonly onEvent = (event: RunEvent): void => {
    if (event.event === 'plan') return;
    judgeText(this.world, `an event of ${this.name}`, JSON.stringify(event));
    if (event.event === 'step') {
      if (event.attempt === 1) this.world.tell(this.name, event.title);
      this.onStep(event.step);
    }
    if (event.event === 'going-home') this.world.tell(this.name, `fails: ${event.because}`);
  };

  die(): void {
    this.isDead = true;
    this.world.hasEnded = true;
    this.waits.clear();
  }

  /** Its timers stop, and answers reach it when it wakes. */
  fallAsleep(forMs: number): void {
    this.asleepUntilMs = Math.max(this.asleepUntilMs, this.world.nowMs) + forMs;
    this.sleptMs += forMs;
  }

  jumpClock(byMs: number): void {
    this.skewMs += byMs;
  }

  interrupt(): void {
    this.interrupts.abort(new Interrupted('SIGINT'));
    for (const wait of [...this.waits]) {
      if (!wait.signal?.aborted) continue;
      this.waits.delete(wait);
      this.world.scheduler.answered();
      wait.reject(wait.signal.reason);
    }
  }

  private sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const wait: Wait = { signal, reject };
      this.waits.add(wait);
      let sleptMs = this.sleptMs;
      const ring = () => {
        if (this.isDead || !this.waits.has(wait)) return;
        const laterMs = this.sleptMs - sleptMs;
        sleptMs = this.sleptMs;
        if (laterMs > 0) return this.world.scheduler.after(laterMs, ring);
        this.waits.delete(wait);
        this.world.scheduler.answered();
        resolve();
      };
      this.world.scheduler.after(ms, ring);
    });
  }

  private wrap<T extends object>(group: string, target: T): T {
    const wrapped: Record<string, unknown> = {};
    for (const name of Object.keys(target)) {
      const kind = kindOf(group, name);
      const value = Reflect.get(target, name) as unknown;
      if (typeof value !== 'function') continue;
      if (name === 'parseProviderId') {
        wrapped[name] = value; // asks nothing
        continue;
      }
      wrapped[name] = (...args: unknown[]) =>
        this.call({ group, name, kind, args }, () =>
          Reflect.apply(Reflect.get(target, name) as (...given: unknown[]) => Promise<unknown>, target, args),
        );
    }
    return wrapped as T;
  }

  private call(made: Pick<Call, 'group' | 'name' | 'kind' | 'args'>, invoke: () => Promise<unknown>): Promise<unknown> {
    if (this.isDead) return new Promise(() => undefined);
    const options = optionsOf(made.args);
    const { signal } = options;
    return new Promise((settle, fail) => {
      if (signal?.aborted) return fail(signal.reason);
      // A change on its way is not aborted; a stop or start is, while it is waited for.
      const isAborted = made.kind === 'read' || made.kind === 'power';
      const wait: Wait = { signal: isAborted ? signal : undefined, reject: fail };
      this.waits.add(wait);
      const finish = (answer: () => void) => {
        if (!this.waits.delete(wait)) return;
        this.world.scheduler.answered();
        answer();
      };
      this.send({
        ...made,
        ...{ options, index: ++this.calls, invoke, isAwaited: () => this.waits.has(wait) },
        resolve: (value) => finish(() => settle(value)),
        reject: (error) => finish(() => fail(error)),
      });
    });
  }

  /** What the transport does: it waits when it is throttled, and sends nothing that is late. */
  private send(call: Call): void {
    const { scheduler } = this.world;
    const leftMs = isOrder(call) ? call.options.fence?.leftMs() : undefined;
    if (leftMs !== undefined && leftMs <= 0) {
      this.answer(call, 0, () => call.reject(new TooLate(`${call.name} was not sent`)));
      return;
    }
    const throttle = call.group === 'cluster' ? undefined : this.takeFault('throttle', call);
    if (throttle) {
      const { waitMs } = throttle;
      this.world.tell('platform', `throttles "${call.name}" of ${this.name} for ${waitMs / 1000} s`);
      if (leftMs !== undefined && waitMs >= leftMs) {
        const refusal = new Throttled('too many requests', waitMs);
        this.answer(call, this.latencyMs(call), () => call.reject(refusal));
        return;
      }
      // Neither an interrupted call nor a process that has ended sends anything any more.
      const interrupted = (error: unknown) => call.reject(error as Error);
      const send = () => this.isActive && call.isAwaited() && this.send(call);
      void this.sleep(waitMs, call.options.signal).then(send, interrupted);
      return;
    }
    const wasHeld = isOrder(call) && holderOf(this.world) === this.id;
    scheduler.after(this.latencyMs(call), () => this.arrive(call, wasHeld));
  }

  /** At the service. What was sent arrives even if the process has died since; what a sleeping machine had to send does not. */
  private arrive(call: Call, wasHeld: boolean): void {
    const { world } = this;
    if (!this.isDead && this.asleepUntilMs > world.nowMs) {
      world.scheduler.after(this.asleepUntilMs - world.nowMs, () => {
        if (!this.isActive || !call.isAwaited()) return;
        // Its client gives up after seconds.
        if (call.group === 'cluster') call.reject(connectionLost());
        else this.send(call);
      });
      return;
    }
    if (isOrder(call)) judgeOrder(world, this, { name: call.name, args: call.args, wasHeld });
    const refusal = this.refusalOf(call);
    if (refusal) {
      this.answer(call, 0, () => call.reject(refusal));
      return;
    }
    if (call.kind === 'power') {
      this.operate(call);
      return;
    }
    const failure = isOrder(call) ? this.faultOf('fail') : undefined;
    if (failure && !failure.isApplied) {
      this.answer(call, 0, () => call.reject(operationFailed()));
      return;
    }
    this.takeEffect(call, (settle) => {
      if (call.kind === 'read') return this.answer(call, 0, settle);
      this.answer(call, this.latencyMs(call) / 2, failure ? () => call.reject(operationFailed()) : settle);
    });
  }

  private takeEffect(call: Call, then: (settle: () => void) => void): void {
    const { world } = this;
    world.scheduler.answered();
    const effect = world.as(this.id, call.invoke);
    if (call.kind !== 'read') judgeEffect(world, this, call.name, call.args);
    effect.then(
      (value) => then(() => call.resolve(this.seen(call, value))),
      (error: unknown) => then(() => call.reject(error)),
    );
  }

  /** A stop or a start: the service accepts it, and it takes effect later, whatever becomes of the process. */
  private operate(call: Call): void {
    const { world } = this;
    const ref = call.args[0] as InstanceRef;
    const instance = world.pool.instances.find(({ ref: { id } }) => id === ref.id);
    const wanted = { start: 'running', stop: 'stopped', deallocate: 'deallocated' }[call.name]!;
    if (!instance || instance.power === wanted) {
      this.takeEffect(call, (settle) => this.answer(call, 0, settle));
      return;
    }
    if (world.operations.has(instance.vmId)) {
      const conflict = new Conflict(`another operation of ${instance.computerName} is in progress`);
      this.answer(call, 0, () => call.reject(conflict));
      return;
    }
    const failure = this.faultOf('fail');
    const takesMs = this.faultOf('slow')?.takesMs ?? 10_000 + 30_000 * fraction(world.seed, this.name, call.index);
    world.operations.set(instance.vmId, call.name === 'start' ? 'starting' : 'stopping');
    const endMs = world.nowMs + takesMs;
    const report = () => {
      if (this.isActive && this.asleepUntilMs <= world.nowMs) {
        call.options.onWaiting?.(`the operation ${call.name}`);
        world.scheduler.answered();
      }
      const leftMs = endMs - world.nowMs;
      if (leftMs > WAITING_MS) return world.scheduler.after(WAITING_MS, report);
      world.scheduler.after(leftMs, finish);
    };
    const finish = () => {
      world.operations.delete(instance.vmId);
      if (failure && !failure.isApplied) return this.answer(call, 0, () => call.reject(operationFailed()));
      this.takeEffect(call, (settle) =>
        this.answer(call, 500, failure ? () => call.reject(operationFailed()) : settle),
      );
    };
    report();
  }

  /** Reaches the process when it is awake. After a long sleep the connection is gone, and the transport sends a request again. */
  private answer(call: Call, afterMs: number, settle: () => void): void {
    const { world } = this;
    const isLost = isOrder(call) && this.takeFault('lose-answer', call);
    const deliver = () => {
      if (!this.isActive) return;
      if (isLost) {
        world.tell('network', `loses the answer to "${call.name}" of ${this.name}`);
        return this.answer(call, 5_000, () => call.reject(connectionLost()));
      }
      const asleepMs = this.asleepUntilMs - world.nowMs;
      if (asleepMs <= 0) return settle();
      const isSentAgain = asleepMs > LOST_MS && (call.kind === 'order' || call.kind === 'read');
      world.scheduler.after(
        asleepMs,
        isSentAgain ? () => this.isActive && call.isAwaited() && this.send(call) : deliver,
      );
    };
    world.scheduler.after(afterMs, deliver);
  }

  private refusalOf(call: Call): Error | undefined {
    const { name, group } = call;
    if (this.world.faults.length === 0) return undefined;
    if (group === 'cluster') return this.faultOf('cluster-away') && clusterAway();
    const forbid = this.faultOf('forbid');
    if (forbid && (isOrder(call) || forbid.scope === 'all')) return new Forbidden(`no right to ${name}`);
    if (name === 'start' && this.faultOf('no-capacity')) return new NoCapacity('no capacity in the region');
    return undefined;
  }

  private faultOf<K extends 'slow' | 'fail' | 'forbid' | 'no-capacity' | 'cluster-away'>(
    kind: K,
  ): Extract<Fault, { kind: K }> | undefined {
    const { faults, nowMs } = this.world;
    if (faults.length === 0) return undefined;
    return faults.find((fault) => fault.kind === kind && 'untilMs' in fault && fault.untilMs > nowMs) as never;
  }

  /** For one call only. */
  private takeFault<K extends 'throttle' | 'lose-answer'>(
    kind: K,
    { name, kind: callKind }: Call,
  ): Extract<Fault, { kind: K }> | undefined {
    const { faults } = this.world;
    if (faults.length === 0) return undefined;
    const at = faults.findIndex(
      (fault) =>
        fault.kind === kind &&
        'process' in fault &&
        fault.process === this.name &&
        (fault.order === name || fault.order === (callKind === 'read' ? 'any read' : 'any order')),
    );
    return at < 0 ? undefined : (faults.splice(at, 1)[0] as never);
  }

  private latencyMs({ index, kind }: Call): number {
    const part = fraction(this.world.seed, this.name, index);
    return kind === 'read' ? 20 + 400 * part : 50 + 1500 * part;
  }

  /** What the service tells, which may differ from what is true. */
  private seen({ group, name, args }: Call, value: unknown): unknown {
    const { world } = this;
    if (value === undefined) return value;
    if (group === 'pools' && name === 'readInstance') return this.seenInstance(value as Instance);
    if (group === 'pools' && name === 'listInstances')
      return (value as Instance[]).map((one) => this.seenInstance(one));
    if (group === 'gallery' && name === 'readVersion') return world.seenVersion(value as Version);
    if (group === 'gallery' && name === 'listVersions')
      return (value as Version[]).map((one) => world.seenVersion(one));
    if (name === 'listPods') {
      this.podsSeen.set(args[0] as string, new Set((value as Pod[]).map(({ uid }) => uid)));
    }
    return value;
  }

  private seenInstance(instance: Instance): Instance {
    return { ...instance, power: this.world.readingOf(instance) };
  }
}

function kindOf(group: string, name: string): CallKind {
  if (READS.test(name)) return 'read';
  if (group === 'cluster') return 'cluster';
  return POWER.test(name) ? 'power' : 'order';
}

function isOrder({ kind }: Call): boolean {
  return kind === 'order' || kind === 'power';
}

/** Contracts of VMs take options last, the cluster a signal or options. */
function optionsOf(args: readonly unknown[]): CallOptions {
  const last = args.at(-1);
  if (last instanceof AbortSignal) return { signal: last };
  const options = last as CallOptions | undefined;
  return typeof options === 'object' && options !== null && options.signal instanceof AbortSignal ? options : {};
}

function operationFailed(): TransientError {
  return new TransientError('the operation failed', { code: 'vms/operation-failed' });
}

function clusterAway(): TransientError {
  return new TransientError('the API server does not answer', { code: 'cluster/unavailable' });
}

function connectionLost(): TransientError {
  return new TransientError('the connection was lost', { code: 'vms/unavailable' });
}
