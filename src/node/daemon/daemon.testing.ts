// node/daemon/daemon.testing.ts: a daemon on a fake node in a folder, with a metadata service and a clock that the test
// controls.

import type { Clock } from '../../base/clock.ts';
import type { NodeStore } from '../apply/contract.ts';
import { NodeFolder } from '../apply/node-folder.testing.ts';
import { openNodeStore } from '../apply/store.ts';
import { OWN_CONFIG_PATH } from '../desired/aspects/kubelet.ts';
import { anImage } from '../document/documents.testing.ts';
import { type FetchedMetadata, MetadataFailure, type StandbyReport } from '../metadata/source.ts';
import type { InstanceFacts } from '../observe/facts.ts';
import type { Log } from '../status/log.ts';
import { renderMetrics } from '../status/metrics.ts';
import { type NodeStatus, statusOf } from '../status/node-status.ts';
import { recordSteps } from '../status/steps-file.ts';
import { createDaemon, type Daemon } from './loop.ts';
import { INITIAL, phaseStatusOf } from './machine.ts';
import { standbyMemory } from './standby/memory.ts';

interface Sleeper {
  atMs: number;
  wake(): void;
}

/** Advances only when nothing else is left to do. */
class HeldClock implements Clock {
  readonly #folder: NodeFolder;
  #sleepers: Sleeper[] = [];

  constructor(folder: NodeFolder) {
    this.#folder = folder;
  }

  nowMs = () => this.#folder.clock.nowMs();

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const sleeper = { atMs: this.nowMs() + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener('abort', () => {
        this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
        reject(signal.reason);
      });
    });
  }

  next(): void {
    const [first] = this.#sleepers.sort((a, b) => a.atMs - b.atMs);
    if (first === undefined) return;
    this.#sleepers.shift();
    this.#folder.clock.advance(Math.max(0, first.atMs - this.nowMs()));
    first.wake();
  }
}

const INSTANCE: InstanceFacts = {
  platform: 'azure',
  vmId: 'vm-1',
  computerName: 'Node-1',
  addresses: ['10.0.0.4'],
  tags: {},
};

export class TestNode {
  readonly folder: NodeFolder;
  readonly store: NodeStore;
  readonly daemon: Daemon;
  /** What the metadata service returns or throws; undefined: no document. */
  delivered: Uint8Array | MetadataFailure | undefined;
  instance = INSTANCE;
  fetches = 0;
  readyAtPhase: string[] = [];
  preparedAtPhase: string[] = [];
  /** What the metadata says about a pool of prepared instances. */
  standby: StandbyReport | undefined;
  readonly statuses: NodeStatus[] = [];
  /** Everything that the daemon logged, published or wrote. */
  readonly output: string[] = [];
  readonly #clock: HeldClock;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  /** `folder`: the disk of an earlier TestNode. */
  constructor(
    options: {
      folder?: NodeFolder;
      isForeign?: boolean;
      delivered?: Uint8Array | MetadataFailure;
      standby?: StandbyReport | undefined;
      bootId?: string;
      /** Stops the daemon as soon as it reports this phase. */
      endAt?: string | undefined;
    } = {},
  ) {
    this.folder = options.folder ?? new NodeFolder();
    this.delivered = options.delivered;
    this.standby = options.standby;
    if (options.bootId !== undefined) this.folder.bootId = options.bootId;
    this.#clock = new HeldClock(this.folder);
    this.store = openNodeStore({ ...this.folder.deps(), clock: this.#clock });
    const steps = recordSteps({
      monotonicUs: () => this.#clock.nowMs() * 1000,
      wallUs: () => this.#clock.nowMs() * 1000,
    });
    const log: Log = (priority, message, fields) =>
      this.output.push(`${priority} ${message} ${JSON.stringify(fields)}`);
    const about = { source: 'test', daemon: { pid: 1, startedAt: 'x' }, skewMs: 0 };
    this.daemon = createDaemon({
      clock: this.#clock,
      steadyMs: this.#clock.nowMs,
      random: () => 0.5,
      store: this.store,
      source: { name: 'test', isFixed: true, fetch: () => this.#fetch() },
      context: () => ({ image: { ...anImage }, machine: { cpus: 4, memoryBytes: 16 * 2 ** 30 }, overrides: [] }),
      seed: 0.5,
      isForeign: options.isForeign ?? false,
      hasOwnFiles: () => this.folder.text(OWN_CONFIG_PATH) !== undefined,
      log,
      steps,
      standby: standbyMemory({ root: this.folder.root, bootId: this.folder.bootId, skewMs: () => 0, log }),
      onPrepared: async (state) => {
        this.preparedAtPhase.push(phaseStatusOf(state).phase);
      },
      onReady: async (state) => {
        this.readyAtPhase.push(phaseStatusOf(state).phase);
      },
      onNews: (state) => {
        const status = statusOf(state, about);
        this.statuses.push(status);
        if (status.phase === options.endAt) this.#stop.abort();
        this.output.push(
          JSON.stringify(status),
          renderMetrics(status, steps.steps().steps),
          JSON.stringify(steps.steps()),
        );
      },
    });
    this.#running = this.daemon.run(this.#stop.signal);
  }

  async #fetch(): Promise<FetchedMetadata> {
    this.fetches++;
    if (this.delivered instanceof MetadataFailure) throw this.delivered;
    return { document: this.delivered, instance: this.instance, standby: this.standby };
  }

  get phase(): string {
    const { phase, code } = phaseStatusOf(this.daemon?.state() ?? INITIAL);
    return `${phase} ${code}`;
  }

  get phases(): string[] {
    return this.statuses.map(({ phase }) => phase).filter((phase, i, all) => phase !== all[i - 1]);
  }

  /** Runs pending work, and advances the clock when idle, until the condition is true. */
  async until(isTrue: () => boolean, what = isTrue.toString()): Promise<void> {
    for (let idle = 1; idle < 20_000; ) {
      if (isTrue()) return;
      await new Promise((resolve) => setImmediate(resolve));
      if (this.daemon.state().work !== undefined) continue; // the disk may be slow
      if (idle++ % 10 === 0) this.#clock.next();
    }
    throw new Error(`never happened: ${what}; the phase is ${this.phase}`);
  }

  async reach(phase: string): Promise<void> {
    await this.until(() => this.phase.startsWith(phase), phase);
  }

  async fetchesAgain(): Promise<void> {
    const before = this.fetches;
    await this.until(() => this.fetches > before + 1 && this.daemon.state().work === undefined, 'another fetch');
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.ended();
  }

  ended(): Promise<void> {
    return this.#running;
  }
}
