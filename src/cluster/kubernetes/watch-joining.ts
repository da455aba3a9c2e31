// cluster/kubernetes/watch-joining.ts: tell what the API server sees of a node that comes up, as it happens, on this machine's clock.
import type { Clock } from '../../base/clock.ts';
import { TransientError } from '../../base/errors.ts';
import { type Feed, openFeed } from './feed.ts';
import { type JoinEvent, type JoinEventName, joinEvents, type WatchedKind } from './join-events.ts';
import { resourceVersionOf } from './join-objects.ts';

export interface JoinWatch {
  kubeconfig: string;
  nodeName: string;
  /** When its VM was started; without it, now. What is older is of an earlier life of that name. */
  startedMs?: number;
  clock: Clock;
  signal: AbortSignal;
  /** Ends by itself once this was seen. */
  until?: JoinEventName;
  /** From here on nothing is missed. Not called when it ends before. */
  onOpen?: () => void;
}

/**
 * Resolves when the signal aborts or `until` was seen. Goes on through watches that end and a plane that is away; rejects when asking
 * again will not help (no right to, another certificate), and with what `onEvent` throws.
 */
export async function watchJoining(watch: JoinWatch, onEvent: (event: JoinEvent) => void): Promise<void> {
  await followJoining(await openFeed(watch), watch, onEvent);
}

/** What can still be seen of it now, in seconds where nobody watched: one look, for whoever comes later. */
export async function readJoinEvents(look: Omit<JoinWatch, 'until' | 'onOpen'>): Promise<JoinEvent[]> {
  return listJoining(await openFeed(look), look);
}

export async function listJoining(
  feed: Pick<Feed, 'list'>,
  { nodeName, clock, startedMs = clock.nowMs(), signal }: Omit<JoinWatch, 'kubeconfig' | 'until' | 'onOpen'>,
): Promise<JoinEvent[]> {
  const events = joinEvents(nodeName, startedMs);
  const seen: JoinEvent[] = [];
  for (const what of KINDS) {
    const { objects } = await feed.list(what, signal);
    seen.push(...events.listed(what, objects, { fromMs: startedMs, nowMs: clock.nowMs() }));
  }
  return seen.sort((a, b) => a.atMs - b.atMs);
}

const KINDS: readonly WatchedKind[] = ['requests', 'nodes', 'pods'];

export async function followJoining(
  feed: Feed,
  { nodeName, clock, startedMs = clock.nowMs(), signal, until, onOpen }: Omit<JoinWatch, 'kubeconfig'>,
  onEvent: (event: JoinEvent) => void,
): Promise<void> {
  const stopping = new AbortController();
  const stopped = AbortSignal.any([signal, stopping.signal]);
  const events = joinEvents(nodeName, startedMs);
  let failure: { error: unknown } | undefined;
  const unopened = new Set(KINDS);

  /** What a listener of the client throws is lost: it is kept here instead. */
  const fail = (error: unknown) => {
    if (!stopped.aborted) failure = { error };
    stopping.abort();
  };
  const tell = (news: readonly JoinEvent[]) => {
    try {
      for (const event of news) {
        if (stopped.aborted) return;
        onEvent(event);
        if (event.event === until) stopping.abort();
      }
    } catch (error) {
      fail(error);
    }
  };
  const opened = (what: WatchedKind) => {
    if (unopened.delete(what) && unopened.size === 0) onOpen?.();
  };
  const following = KINDS.map((what) =>
    follow(what, { feed, events, tell, opened, clock, startedMs, signal: stopped }).catch(fail),
  );
  await Promise.all(following);
  if (failure) throw failure.error;
}

interface FollowContext {
  feed: Feed;
  events: ReturnType<typeof joinEvents>;
  tell(news: readonly JoinEvent[]): void;
  opened(what: WatchedKind): void;
  clock: Clock;
  startedMs: number;
  signal: AbortSignal;
}

const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [50, 2_000];
/** What happened while nobody listened comes at once when a watch is opened again. */
const CATCH_UP_MS = 200;

async function follow(what: WatchedKind, { feed, events, tell, opened, clock, startedMs, signal }: FollowContext) {
  let version: string | undefined;
  /** All that happened until then was seen. */
  let knownMs = startedMs;
  let waitMs = FIRST_WAIT_MS;

  async function list(): Promise<string> {
    const askedMs = clock.nowMs();
    const { objects, version: listed } = await feed.list(what, signal);
    tell(events.listed(what, objects, { fromMs: knownMs, nowMs: clock.nowMs() }));
    knownMs = askedMs;
    return listed;
  }

  async function watch(from: string): Promise<void> {
    let openedMs: number | undefined;
    const listener = {
      onOpen: () => {
        openedMs = clock.nowMs();
        waitMs = FIRST_WAIT_MS;
        opened(what);
      },
      onChange: (change: 'put' | 'deleted' | 'bookmark', object: unknown) => {
        const nowMs = clock.nowMs();
        const isLive = openedMs !== undefined && nowMs - openedMs >= CATCH_UP_MS;
        version = resourceVersionOf(object) ?? version;
        if (change !== 'bookmark')
          tell(events.changed(what, change, object, { fromMs: isLive ? nowMs : knownMs, nowMs }));
      },
    };
    const end = await feed.watch(what, from, listener, signal);
    if (openedMs !== undefined) knownMs = clock.nowMs();
    if (end === 'gone') version = undefined;
  }

  while (!signal.aborted) {
    try {
      version ??= await list();
      await watch(version);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TransientError)) throw error;
    }
    await clock.sleep(waitMs, signal).catch(() => undefined);
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
  }
}
