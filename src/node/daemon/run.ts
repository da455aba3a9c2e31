// node/daemon/run.ts: the loop of the daemon: what happens goes into machine.ts, what comes out is done. Nothing is decided here.
import type { Clock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import { renderProblem } from '../../schema/problem.ts';
import type { NodeStore, Outcome, Slots } from '../apply/contract.ts';
import { MAX_TEXT_BYTES } from '../document/unwrap.ts';
import type { RetryEvent } from '../metadata/retry.ts';
import { MetadataFailure, type MetadataSource } from '../metadata/source.ts';
import type { InstanceFacts } from '../observe/facts.ts';
import { isReasonCode } from '../reason-codes.ts';
import { type Log, withoutRepeats } from '../status/log.ts';
import type { StepName, StepRecorder } from '../status/steps-file.ts';
import { keepDocuments } from './documents.ts';
import { fetchDocument } from './fetch-document.ts';
import { INITIAL, nextDueMs, step } from './machine.ts';
import { type NodeContext, type ReadResult, readAssignment } from './read.ts';
import { type Reconciled, reconcile } from './reconcile.ts';
import type { Announcement, Answer, DaemonState, Effect, Event, Order, Why } from './state.ts';
import { timedSteps } from './timed-steps.ts';

export interface DaemonEdges {
  clock: Clock;
  /** Goes on evenly when the clock of the machine is set. */
  steadyMs(): number;
  /** From 0 up to 1. */
  random(): number;
  store: NodeStore;
  source: MetadataSource;
  context(): NodeContext;
  /** Unique to this node. */
  seed: number;
  isForeign: boolean;
  /** kubelet has its files from us, and they are not those of another machine. */
  hasOwnFiles(): boolean;
  log: Log;
  steps: StepRecorder;
  /** kubelet may start; nothing is done before it that does not have to be. */
  onReady(state: DaemonState): Promise<void>;
  /** What others see has changed. */
  onNews(state: DaemonState): void;
}

export interface Daemon {
  /** Until `signal`, and what is under way then. */
  run(signal: AbortSignal): Promise<void>;
  signal(by: string): void;
  announce(announcement: Announcement): void;
  order(order: GivenOrder): Promise<Answer>;
  state(): DaemonState;
}

export type GivenOrder =
  | { what: 'apply'; document?: Uint8Array; origin: string }
  | { what: 'roll-back'; to?: number | undefined }
  | { what: 'keep' };

type Bare<E = Event> = E extends Event ? Omit<E, 'nowMs'> : never;

/** However far ahead the next thing is. */
const LONGEST_SLEEP_MS = 3_600_000;

export function createDaemon(edges: DaemonEdges): Daemon {
  const { clock, steadyMs, random, store, source, log, steps } = edges;
  const documents = keepDocuments();
  const waiting = new Map<number, (answer: Answer) => void>();
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();
  const logNews = withoutRepeats(log);
  const events: Event[] = [];
  let state = INITIAL;
  let lastOrder = 0;
  let instance: InstanceFacts | undefined;
  let fetching = new AbortController();
  let alarm = new AbortController();
  let ended = () => {};

  /** One after the other: what an effect tells at once waits until the others of its event were begun. */
  function tell(event: Bare): void {
    events.push({ ...event, nowMs: steadyMs() } as Event);
    if (events.length > 1) return;
    for (let [first] = events; first !== undefined; [first] = events) {
      const next = step(state, first);
      state = next.state;
      for (const effect of next.effects) perform(effect);
      events.shift();
    }
    setAlarm();
  }

  function setAlarm(): void {
    alarm.abort();
    alarm = new AbortController();
    const dueMs = nextDueMs(state);
    if (dueMs === undefined) return;
    const inMs = Math.min(Math.max(0, dueMs - steadyMs()), LONGEST_SLEEP_MS);
    clock.sleep(inMs, alarm.signal).then(
      () => tell({ is: 'time' }),
      () => {}, // another one was set
    );
  }

  function perform(effect: Effect): void {
    const begun = begin(effect);
    // What it does not catch itself is a bug: it ends the daemon, and systemd starts another.
    const tracked = begun?.finally(() => underWay.delete(tracked!));
    if (tracked) underWay.add(tracked);
  }

  /** Undefined: done. */
  function begin(effect: Effect): Promise<void> | undefined {
    switch (effect.do) {
      case 'fetch':
        return fetch(effect.isOrdered);
      case 'read':
        return read(effect.raw, effect.allowsOlder);
      case 'recover':
        return work('recover', () => store.recover());
      case 'apply':
        return work('apply', () => apply(effect.raw, effect.isOrdered));
      case 'reconcile':
        return work('apply', () => reconcile({ store, context: edges.context, clock, signal: stopping.signal }));
      case 'check':
        return work('verify', () => store.check());
      case 'roll-back':
        return work('roll-back', () => rollBack(effect.to));
      case 'keep':
        return work('commit', () => store.keep());
      case 'tell-ready':
        return steps.time('ready', () => edges.onReady(state));
      case 'publish':
        edges.onNews(state);
        break;
      case 'answer':
        waiting.get(effect.id)?.(effect.result);
        waiting.delete(effect.id);
        break;
      case 'end':
        ended();
        break;
    }
    return undefined;
  }

  function apply(raw: string, isOrdered: boolean): Promise<Outcome> {
    return store.apply(documents.assignment(raw), { isOrdered, signal: stopping.signal });
  }

  async function rollBack(to: number | undefined): Promise<Outcome> {
    if (to === undefined || store.listGenerations().some(({ number }) => number === to)) return store.rollbackTo(to);
    throw new UserError(`there is no generation with the number ${to} on this node`, {
      code: 'node/no-such-generation',
      next: 'headstart node history',
    });
  }

  async function work(name: StepName, act: () => Promise<Outcome | Reconciled>): Promise<void> {
    const timed = timedSteps(steps, clock);
    try {
      const result = await act();
      const { outcome, note } = 'outcome' in result ? result : { outcome: result };
      timed.done(name, outcome);
      if (outcome.kind !== 'unchanged' && name !== 'verify') {
        const { kind, code, reason } = outcome;
        const fields = { outcome: kind, code, generation: outcome.slots.active?.generation };
        logNews(name, kind === 'failed' ? 'error' : 'info', `${name}: ${reason}`, fields);
      }
      if (note !== undefined) logNews('note', 'warning', `${name}: ${note.detail}`, { code: note.code });
      tell({ is: 'finished', outcome, note });
    } catch (error) {
      if (error instanceof UserError && !stopping.signal.aborted) {
        const { code, message, next } = error;
        log('warning', `${name}: ${message}`, { code });
        tell({ is: 'declined', error: { code, message, next } });
      } else broke('work', error);
    }
  }

  function broke(lane: 'fetch' | 'work', error: unknown): void {
    const detail = error instanceof Error ? error.message : String(error);
    if (!stopping.signal.aborted)
      log('error', `unexpected: ${error instanceof Error ? (error.stack ?? detail) : detail}`);
    tell({ is: 'broke', lane, detail });
  }

  async function fetch(isOrdered: boolean): Promise<void> {
    fetching.abort();
    const mine = new AbortController();
    fetching = mine;
    const signal = AbortSignal.any([mine.signal, stopping.signal]);
    const startUs = steps.nowUs();
    try {
      const fetched = await fetchDocument(source, { clock, random, signal, isOrdered, onEvent: onTrouble });
      if (fetching !== mine) return;
      instance = fetched.instance;
      const raw = fetched.document && remember(fetched.document, source.name);
      if (raw !== state.delivered?.raw) steps.since('fetch', startUs, { detail: source.name });
      tell({ is: 'fetched', raw });
    } catch (error) {
      if (stopping.signal.aborted || fetching !== mine) return;
      if (error instanceof MetadataFailure) {
        log('warning', error.message, { code: error.reason });
        tell({ is: 'fetch-failed', why: { code: error.reason, detail: error.message } });
      } else broke('fetch', error);
    }
  }

  function onTrouble(event: RetryEvent): void {
    const { reason, message, attempts } = event;
    log('warning', message, { code: reason, attempts });
    tell({ is: 'fetch-trouble', why: { code: reason, detail: message }, isDegraded: event.kind === 'degraded' });
  }

  function remember(document: Uint8Array, origin: string): string {
    const known = instance ?? ifReadable(() => store.active())?.facts.instance ?? NO_INSTANCE;
    return documents.keep({ document, origin, instance: known }, state);
  }

  async function read(raw: string, allowsOlder: boolean): Promise<void> {
    try {
      const found = documents.toRead(raw);
      const { active } = state.slots;
      const applied = state.isForeign || isOfAnother(found.instance) ? undefined : active;
      const startUs = steps.nowUs();
      const result = await readAssignment(found, edges.context(), {
        nowMs: clock.nowMs(),
        applied,
        allowsOlder,
        // What a person brings has not gone through the metadata.
        ...(allowsOlder && { maxBytes: MAX_TEXT_BYTES }),
      });
      steps.since('read', startUs, { isOk: 'assignment' in result });
      if ('why' in result) refuse(result);
      else accept(raw, result);
    } catch (error) {
      // The image's release file, or a file of the node that changes the document, cannot be read.
      if (error instanceof UserError && isReasonCode(error.code)) {
        tell({ is: 'refused', why: { code: error.code, detail: error.message } });
      } else broke('work', error);
    }
  }

  function refuse({ why, refused }: Extract<ReadResult, { why: Why }>): void {
    logNews('refused', 'warning', `the document is refused: ${why.detail}`, { code: why.code });
    tell({ is: 'refused', why, documentHash: refused.documentHash });
  }

  function accept(raw: string, result: Exclude<ReadResult, { why: Why }>): void {
    const { config, documentHash, hash } = result.assignment;
    for (const warning of result.warnings) {
      const line = renderProblem(warning);
      logNews(`warning ${line}`, 'warning', line, { document: documentHash.slice(0, 12) });
    }
    documents.accept(raw, result.assignment);
    const { pollMs, jitterMs } = config.update;
    tell({ is: 'read', document: { generation: config.generation, documentHash, hash, pollMs, jitterMs } });
  }

  function remembered(): { slots: Slots; isMemoryLost?: boolean } {
    const slots = ifReadable(() => store.slots());
    return slots ? { slots } : { slots: { bad: [] }, isMemoryLost: edges.hasOwnFiles() };
  }

  /** Beside the clone check: the platform knows which instance this is. */
  function isOfAnother({ vmId }: InstanceFacts): boolean {
    const before = ifReadable(() => store.active())?.facts.instance.vmId;
    return vmId !== undefined && before !== undefined && vmId !== before;
  }

  return {
    state: () => state,
    signal(by) {
      log('info', `asked to look again by ${by}`);
      tell({ is: 'signalled', by });
    },
    announce: (announcement) => tell({ is: 'announced', announcement }),
    order(given) {
      const id = ++lastOrder;
      const raw = given.what === 'apply' && given.document ? remember(given.document, given.origin) : undefined;
      const order: Order =
        given.what === 'apply'
          ? { id, what: 'apply', raw }
          : given.what === 'keep'
            ? { id, what: 'keep' }
            : { id, ...given };
      return new Promise((resolve) => {
        waiting.set(id, resolve);
        tell({ is: 'ordered', order });
      });
    },
    async run(signal) {
      const over = new Promise<void>((resolve) => {
        ended = resolve;
      });
      signal.addEventListener('abort', () => stop(), { once: true });
      tell({ is: 'started', ...remembered(), isForeign: edges.isForeign, seed: edges.seed });
      if (signal.aborted) stop();
      await over;
      await Promise.all(underWay);
    },
  };

  function stop(): void {
    tell({ is: 'stop' });
    stopping.abort();
  }
}

/** A damaged memory is told by the work that needs it; until somebody repairs it, the node runs as it is. */
function ifReadable<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof UserError) return undefined;
    throw error;
  }
}

const NO_INSTANCE: InstanceFacts = { platform: 'file', addresses: [], tags: {} };
