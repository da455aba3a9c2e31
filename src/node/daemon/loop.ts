// node/daemon/loop.ts: the loop of the daemon: events go into machine.ts one after the other, and the effects that come out are begun. It
// decides nothing.
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
  /** Until `signal`, and what is under way then. */
  run(signal: AbortSignal): Promise<void>;
  signal(by: string): void;
  announce(announcement: Announcement): void;
  order(order: OrderRequest): Promise<OrderResult>;
  state(): DaemonState;
}

export type OrderRequest =
  | { what: 'apply'; document?: Uint8Array; origin: string }
  | { what: 'roll-back'; to?: number | undefined }
  | { what: 'keep' };

/** What is begun for each effect. Undefined: it is done. */
type EffectTable = {
  [Name in DaemonEffect['do']]: (effect: Extract<DaemonEffect, { do: Name }>) => Promise<void> | undefined;
};

export function createDaemon(deps: DaemonDeps): Daemon {
  const { store, steps, log } = deps;
  const documents = keepDocuments(() => activeIfReadable(store)?.facts.instance);
  const waiting = new Map<number, (answer: OrderResult) => void>();
  const underWay = new Set<Promise<void>>();
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

  /** One after the other: what an effect tells at once waits until the others of its event were begun. */
  function dispatch(event: UntimedEvent): void {
    queue.push({ ...event, nowMs: deps.steadyMs() } as DaemonEvent);
    if (queue.length > 1) return;
    for (let [first] = queue; first !== undefined; [first] = queue) {
      const next = step(state, first);
      state = next.state;
      for (const effect of next.effects) begin(effect);
      queue.shift();
    }
    alarm.setTo(nextDueMs(state));
  }

  function begin<Name extends DaemonEffect['do']>(effect: Extract<DaemonEffect, { do: Name }>): void {
    const begun = table[effect.do as Name](effect);
    // What it does not catch itself is a bug: it ends the daemon, and systemd starts another.
    const tracked = begun?.finally(() => underWay.delete(tracked!));
    if (tracked) underWay.add(tracked);
  }

  function stop(): void {
    dispatch({ is: 'stop' });
    stopping.abort();
  }

  return {
    state: () => state,
    signal(by) {
      log('info', `asked to look again by ${by}`);
      dispatch({ is: 'signalled', by });
    },
    announce: (announcement) => dispatch({ is: 'announced', announcement }),
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
      dispatch({ is: 'started', ...known, isForeign, seed });
      if (signal.aborted) stop();
      await ended.promise;
      await Promise.all(underWay);
    },
  };
}

/** `keep` returns how the machine knows the document. */
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

/** However far ahead the next thing is. */
const LONGEST_SLEEP_MS = 3_600_000;

/** One at a time: setting it again takes back what was set before. */
function createAlarm({ clock, steadyMs }: Pick<DaemonDeps, 'clock' | 'steadyMs'>, onTime: () => void) {
  let current = new AbortController();
  return {
    setTo(dueMs: number | undefined): void {
      current.abort();
      current = new AbortController();
      if (dueMs === undefined) return;
      const inMs = Math.min(Math.max(0, dueMs - steadyMs()), LONGEST_SLEEP_MS);
      clock.sleep(inMs, current.signal).then(onTime, () => {}); // another one was set
    },
  };
}
