// node/daemon/loop.ts: the event loop of the daemon: passes events to machine.ts one at a time and starts the effects
// that it returns. It decides nothing.
import { withoutRepeats } from '../status/log.ts';
import type { DaemonDeps, EffectContext, UntimedEvent } from './effects/context.ts';
import { keepDocuments } from './effects/documents.ts';
import { createFetch } from './effects/fetch.ts';
import { readDocument } from './effects/read-document.ts';
import { activeIfReadable, slotsIfReadable } from './effects/readable-store.ts';
import { type WorkEffect, work } from './effects/work.ts';
import { INITIAL, nextDueMs, step } from './machine.ts';
import type { Announcement, DaemonEffect, DaemonEvent, DaemonOrder, DaemonState, OrderResult } from './state.ts';

export interface Daemon {
  /** Ends after `signal`, once the running work has ended. */
  run(signal: AbortSignal): Promise<void>;
  signal(by: string): void;
  announce(announcement: Announcement): void;
  order(order: OrderRequest): Promise<OrderResult>;
  /** The machine slept. */
  resumed(): void;
  /** Lets a node in standby join. */
  join(): void;
  state(): DaemonState;
}

export type OrderRequest =
  | { what: 'apply'; document?: Uint8Array; origin: string }
  | { what: 'roll-back'; to?: number | undefined }
  | { what: 'keep' };

/** Starts each effect. Undefined: the effect is already done. */
type EffectTable = {
  [Name in DaemonEffect['do']]: (effect: Extract<DaemonEffect, { do: Name }>) => Promise<void> | undefined;
};

export function createDaemon(deps: DaemonDeps): Daemon {
  const { store, steps, log } = deps;
  const documents = keepDocuments(() => activeIfReadable(store)?.facts.instance);
  const waiting = new Map<number, (answer: OrderResult) => void>();
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  const queue: DaemonEvent[] = [];
  const alarm = createAlarm(deps, () => dispatch({ is: 'time' }));
  const ended = Promise.withResolvers<void>();
  let state = INITIAL;
  let lastOrder = 0;

  const context: EffectContext = {
    deps,
    documents,
    state: () => state,
    dispatch,
    stopping: stopping.signal,
    logOnChange: withoutRepeats(log),
  };
  const doWork = (effect: WorkEffect) => work(context, effect);
  const table: EffectTable = {
    fetch: createFetch(context),
    read: (effect) => readDocument(context, effect),
    recover: doWork,
    apply: doWork,
    reconcile: doWork,
    check: doWork,
    'roll-back': doWork,
    keep: doWork,
    'remember-standby'({ standby }) {
      deps.standby.save(standby);
      return undefined;
    },
    'report-prepared': () => deps.onPrepared(state),
    'report-ready': () => steps.time('ready', () => deps.onReady(state)),
    publish() {
      deps.onNews(state);
      return undefined;
    },
    answer({ id, result }) {
      waiting.get(id)?.(result);
      waiting.delete(id);
      return undefined;
    },
    end() {
      ended.resolve();
      return undefined;
    },
  };

  /** An event that an effect dispatches synchronously waits until all effects of the current event have started. */
  function dispatch(event: UntimedEvent): void {
    queue.push({ ...event, nowMs: deps.steadyMs() } as DaemonEvent);
    if (queue.length > 1) return;
    for (let [first] = queue; first !== undefined; [first] = queue) {
      const next = step(state, first);
      state = next.state;
      for (const effect of next.effects) start(effect);
      queue.shift();
    }
    alarm.setTo(nextDueMs(state));
  }

  function start<Name extends DaemonEffect['do']>(effect: Extract<DaemonEffect, { do: Name }>): void {
    const started = table[effect.do as Name](effect);
    // An error that an effect does not catch is a bug: it ends the daemon, and systemd restarts it.
    const tracked = started?.finally(() => running.delete(tracked!));
    if (tracked) running.add(tracked);
  }

  function stop(): void {
    dispatch({ is: 'stop' });
    stopping.abort();
  }

  return {
    state: () => state,
    signal(by) {
      log('info', `fetching the metadata again, requested by ${by}`);
      dispatch({ is: 'signalled', by });
    },
    announce: (announcement) => dispatch({ is: 'announced', announcement }),
    resumed: () => dispatch({ is: 'resumed' }),
    join: () => dispatch({ is: 'told-to-join' }),
    order(given) {
      const order = numbered(given, ++lastOrder, (document, origin) => documents.keep({ document, origin }, state));
      return new Promise((resolve) => {
        waiting.set(order.id, resolve);
        dispatch({ is: 'ordered', order });
      });
    },
    async run(signal) {
      signal.addEventListener('abort', () => stop(), { once: true });
      const { isForeign, seed } = deps;
      const slots = slotsIfReadable(store);
      const known = slots ? { slots } : { slots: { bad: [] }, isMemoryLost: deps.hasOwnFiles() };
      const standby = isForeign ? undefined : deps.standby.load();
      dispatch({ is: 'started', ...known, isForeign, seed, standby });
      if (signal.aborted) stop();
      await ended.promise;
      await Promise.all(running);
    },
  };
}

/** `keep` returns the sha256 of the document. */
function numbered(
  given: OrderRequest,
  id: number,
  keep: (document: Uint8Array, origin: string) => string,
): DaemonOrder {
  switch (given.what) {
    case 'apply':
      return { id, what: 'apply', raw: given.document && keep(given.document, given.origin) };
    case 'keep':
      return { id, what: 'keep' };
    case 'roll-back':
      return { id, what: 'roll-back', to: given.to };
  }
}

const LONGEST_SLEEP_MS = 3_600_000;

/** Setting the alarm replaces the previous one. */
function createAlarm({ clock, steadyMs }: Pick<DaemonDeps, 'clock' | 'steadyMs'>, onTime: () => void) {
  let current = new AbortController();
  return {
    setTo(dueMs: number | undefined): void {
      current.abort();
      current = new AbortController();
      if (dueMs === undefined) return;
      const inMs = Math.min(Math.max(0, dueMs - steadyMs()), LONGEST_SLEEP_MS);
      clock.sleep(inMs, current.signal).then(onTime, () => {}); // the alarm was replaced
    },
  };
}
