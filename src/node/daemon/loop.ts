// node/daemon/loop.ts: the loop of the daemon: events go into machine.ts one after the other, and the effects that come out are begun. It
// decides nothing.
import { withoutRepeats } from '../status/log.ts';
import type { DaemonDeps, EffectContext, EventOfNow } from './effects/context.ts';
import { keepDocuments } from './effects/documents.ts';
import { createFetch } from './effects/fetch.ts';
import { read } from './effects/read.ts';
import { activeIfReadable, slotsIfReadable } from './effects/readable-store.ts';
import { type WorkEffect, work } from './effects/work.ts';
import { INITIAL, nextDueMs, step } from './machine.ts';
import type { Announcement, Answer, DaemonState, Effect, Event, Order } from './state.ts';

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

/** What is begun for each effect. Undefined: it is done. */
type EffectTable = {
  [Name in Effect['do']]: (effect: Extract<Effect, { do: Name }>) => Promise<void> | undefined;
};

export function createDaemon(deps: DaemonDeps): Daemon {
  const { store, steps, log } = deps;
  const documents = keepDocuments(() => activeIfReadable(store)?.facts.instance);
  const waiting = new Map<number, (answer: Answer) => void>();
  const underWay = new Set<Promise<void>>();
  const stopping = new AbortController();
  const queue: Event[] = [];
  const alarm = createAlarm(deps, () => tell({ is: 'time' }));
  const ended = Promise.withResolvers<void>();
  let state = INITIAL;
  let lastOrder = 0;

  const context: EffectContext = {
    deps,
    documents,
    state: () => state,
    tell,
    stopping: stopping.signal,
    logNews: withoutRepeats(log),
  };
  const doWork = (effect: WorkEffect) => work(context, effect);
  const table: EffectTable = {
    fetch: createFetch(context),
    read: (effect) => read(context, effect),
    recover: doWork,
    apply: doWork,
    reconcile: doWork,
    check: doWork,
    'roll-back': doWork,
    keep: doWork,
    'tell-ready': () => steps.time('ready', () => deps.onReady(state)),
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
  function tell(event: EventOfNow): void {
    queue.push({ ...event, nowMs: deps.steadyMs() } as Event);
    if (queue.length > 1) return;
    for (let [first] = queue; first !== undefined; [first] = queue) {
      const next = step(state, first);
      state = next.state;
      for (const effect of next.effects) begin(effect);
      queue.shift();
    }
    alarm.setTo(nextDueMs(state));
  }

  function begin<Name extends Effect['do']>(effect: Extract<Effect, { do: Name }>): void {
    const begun = table[effect.do as Name](effect);
    // What it does not catch itself is a bug: it ends the daemon, and systemd starts another.
    const tracked = begun?.finally(() => underWay.delete(tracked!));
    if (tracked) underWay.add(tracked);
  }

  function stop(): void {
    tell({ is: 'stop' });
    stopping.abort();
  }

  return {
    state: () => state,
    signal(by) {
      log('info', `asked to look again by ${by}`);
      tell({ is: 'signalled', by });
    },
    announce: (announcement) => tell({ is: 'announced', announcement }),
    order(given) {
      const order = numbered(given, ++lastOrder, (document, origin) => documents.keep({ document, origin }, state));
      return new Promise((resolve) => {
        waiting.set(order.id, resolve);
        tell({ is: 'ordered', order });
      });
    },
    async run(signal) {
      signal.addEventListener('abort', () => stop(), { once: true });
      const { isForeign, seed } = deps;
      const slots = slotsIfReadable(store);
      const known = slots ? { slots } : { slots: { bad: [] }, isMemoryLost: deps.hasOwnFiles() };
      tell({ is: 'started', ...known, isForeign, seed });
      if (signal.aborted) stop();
      await ended.promise;
      await Promise.all(underWay);
    },
  };
}

/** `keep` returns how the machine knows the document. */
function numbered(given: GivenOrder, id: number, keep: (document: Uint8Array, origin: string) => string): Order {
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
