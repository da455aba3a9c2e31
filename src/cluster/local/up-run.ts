// cluster/local/up-run.ts: applies the steps of one `up` and waits for dependencies. Records which servers it started, so that it can stop them.
import { mkdirSync } from 'node:fs';
import type { CallOptions } from '../../base/call-options.ts';
import { UserError } from '../../base/errors.ts';
import { ensureAuthority } from './authority.ts';
import {
  type ClusterFiles,
  type ClusterPlace,
  type ClusterRecord,
  clusterFiles,
  GUEST_ADDRESS,
  portsOfOthers,
  readClusterRecord,
  writeClusterRecord,
} from './cluster-files.ts';
import { logTail } from './log-tail.ts';
import type { PortName, UpStep } from './plan-up.ts';
import type { PlaneDeps } from './plane-deps.ts';
import type { Ports } from './port-names.ts';
import { takePorts } from './ports.ts';
import { EGRESS, SERVERS, type Server } from './server-flags.ts';
import { probeOf, serverCommand, writeSettings } from './server-set-up.ts';
import { stopServer } from './stop-servers.ts';

export interface UpOptions {
  /** The version of the programs. */
  kubernetes: string;
  /** The folder of the programs. */
  programs: string;
  /** The port of the API server; default: the recorded one, or a free one. */
  apiPort?: number | undefined;
}

export interface PlaneCall extends CallOptions {
  onStep?(step: UpStep): void;
}

const READY_MS = 180_000;
const POLL_MS = 250;

/** A server that this command did not start has ended. */
export class Vanished extends Error {}

/** One `up`, with the servers it has started. */
export class UpRun {
  readonly #place: ClusterPlace;
  readonly #files: ClusterFiles;
  readonly #options: UpOptions;
  readonly #deps: PlaneDeps;
  readonly #call: PlaneCall;
  readonly #own = new Map<Server, () => string | undefined>();
  /** The previous version, as long as a rollback to it is possible. */
  #before: Pick<ClusterRecord, 'kubernetes' | 'programs'> | undefined;

  constructor(place: ClusterPlace, options: UpOptions, deps: PlaneDeps, call: PlaneCall) {
    this.#place = place;
    this.#files = clusterFiles(place);
    this.#options = options;
    this.#deps = deps;
    this.#call = call;
  }

  async take(step: UpStep): Promise<void> {
    for (const server of dependenciesOf(step)) await this.awaitHealthy(server);
    this.#call.signal?.throwIfAborted();
    this.#call.onStep?.(step);
    switch (step.do) {
      case 'take-ports':
        return this.#takePorts(step.names);
      case 'stop':
        return stopServer(this.#files.folder, step.server, this.#deps, this.#call);
      case 'use-programs':
        return this.#usePrograms(step);
      case 'certify':
        return this.#certify();
      case 'write-settings':
        return writeSettings(this.#place, this.#record());
      case 'start':
        return this.#start(step.server);
      case 'let-nodes-join':
        return this.#deps.letNodesJoin(
          { kubeconfig: this.#files.kubeconfig, clock: this.#deps.clock },
          this.#call.signal,
        );
    }
  }

  #usePrograms({ kubernetes, programs }: Pick<ClusterRecord, 'kubernetes' | 'programs'>): void {
    const record = this.#record();
    this.#before = { kubernetes: record.kubernetes, programs: record.programs };
    writeClusterRecord(this.#place, { ...record, kubernetes, programs });
  }

  async #takePorts(names: readonly PortName[]): Promise<void> {
    const { kubernetes, programs, apiPort } = this.#options;
    const known = readClusterRecord(this.#place);
    const given = names.includes('kube-apiserver') && apiPort !== undefined ? { 'kube-apiserver': apiPort } : {};
    const missing = names.filter((name) => !(name in given));
    const avoided = [...Object.values({ ...known?.ports, ...given }), ...portsOfOthers(this.#place).keys()];
    const taken = await takePorts(missing.length, this.#deps, new Set(avoided));
    const ports = Object.fromEntries(missing.map((name, index) => [name, taken[index]!]));
    writeClusterRecord(this.#place, {
      format: 1,
      kubernetes,
      programs,
      guestAddress: GUEST_ADDRESS,
      createdMs: this.#deps.clock.nowMs(),
      ...known,
      ports: { ...known?.ports, ...given, ...ports } as Ports,
    });
  }

  async #certify(): Promise<void> {
    const { guestAddress } = this.#record();
    await ensureAuthority(this.#files.pki, { guestAddress, nowMs: this.#deps.clock.nowMs() });
    writeSettings(this.#place, this.#record());
  }

  #start(server: Server): void {
    writeSettings(this.#place, this.#record());
    mkdirSync(this.#files.etcdData, { recursive: true, mode: 0o700 });
    const { argv, ...named } = serverCommand(server, this.#place, this.#record(), this.#deps);
    const logs = { log: this.#files.log(server), previousLog: this.#files.previousLog(server) };
    this.#own.set(server, this.#deps.processes.start(this.#files.folder, argv, { ...logs, ...named }));
  }

  async awaitHealthy(server: Server): Promise<void> {
    const { clock, processes, checkServerHealth } = this.#deps;
    const { signal, onWaiting } = this.#call;
    const untilMs = clock.nowMs() + READY_MS;
    for (;;) {
      signal?.throwIfAborted();
      const health = await checkServerHealth(probeOf(server, this.#files, this.#record()));
      // A server of another program on that port may answer as healthy too.
      const isThere = processes.find(this.#files.folder, server) !== undefined;
      if (health.isHealthy && isThere) {
        // It may have written data that the previous version cannot read.
        if (server === 'kube-apiserver') this.#before = undefined;
        return;
      }
      const own = this.#own.get(server);
      if (!own && !isThere) throw new Vanished(server);
      const ended = own?.();
      if (ended !== undefined) throw this.#failed(server, ended);
      if (clock.nowMs() > untilMs)
        throw this.#failed(server, `was not healthy after ${READY_MS / 1000} s: it ${health.why}`);
      onWaiting?.(`${server} to be healthy`);
      await clock.sleep(POLL_MS, signal);
    }
  }

  /** In reverse order. Ignores interrupts, so that it never leaves half a control plane running. */
  async stopOwn(): Promise<void> {
    for (const server of [...this.#own.keys()].toReversed())
      await stopServer(this.#files.folder, server, this.#deps, {});
    if (this.#before) writeClusterRecord(this.#place, { ...this.#record(), ...this.#before });
  }

  #record(): ClusterRecord {
    const record = readClusterRecord(this.#place);
    if (record) return record;
    throw new UserError(`${this.#files.record} was removed while the cluster was starting`, {
      code: 'cluster/no-record',
      exitCode: 1,
    });
  }

  #failed(server: Server, why: string): UserError {
    const log = this.#files.log(server);
    const before = SERVERS.filter((one) => !this.#own.has(one) && this.#deps.processes.find(this.#files.folder, one));
    return new UserError(`${server} ${why}\n${logTail(log)}`.trimEnd(), {
      code: 'cluster/plane-failed',
      kept: `The servers that this command started are stopped${before.length > 0 ? `; ${before.join(', ')} still run` : ''}. Data and certificates stay.`,
      next: this.#own.has(server)
        ? `read ${log}, then run the same command again`
        : `headstart cluster down --name ${this.#place.name}; headstart cluster up --name ${this.#place.name}`,
      exitCode: 1,
    });
  }
}

/** The servers that a step needs: without them a server exits after some seconds. */
function dependenciesOf(step: UpStep): readonly Server[] {
  if (step.do === 'let-nodes-join') return ['kube-apiserver'];
  if (step.do !== 'start' || step.server === 'etcd' || step.server === EGRESS) return [];
  return step.server === 'kube-apiserver' ? ['etcd'] : ['kube-apiserver'];
}
