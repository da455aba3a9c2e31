// cluster/kubernetes/watch-joining.ts: reports the join events of a new node as they happen, on this machine's clock.
import type { Clock } from '../../base/clock.ts';
import { TransientError } from '../../base/errors.ts';
import { type Feed, openFeed } from './feed.ts';
import { type JoinEvent, type JoinEventName, joinEvents, type WatchedKind } from './join-events.ts';
import { resourceVersionOf } from './join-objects.ts';

export interface JoinWatch {
  kubeconfig: string;
  nodeName: string;
  /** When its VM was started; default: now. Older objects belong to an earlier node of that name. */
  startedMs?: number;
  clock: Clock;
  signal: AbortSignal;
  /** Stop after this event. */
  until?: JoinEventName;
  /** Called when all watches are open and no event can be missed; not called if it ends earlier. */
  onOpen?: () => void;
}

/**
 * Resolves when the signal aborts or after `until`. Continues when a watch ends or the API server is unavailable. Rejects on errors
 * that a retry cannot fix (no permission, another certificate) and on errors of `onEvent`.
 */
export async function watchJoining(watch: JoinWatch, onEvent: (event: JoinEvent) => void): Promise<void> {
  await followJoining(await openFeed(watch), watch, onEvent);
}

/** The events that current objects still show, after the fact: their times are accurate to a second at best. */
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

  /** The client swallows errors of its listeners, so they are kept here. */
  const fail = (error: unknown) => {
    if (!stopped.aborted) failure = { error };
    stopping.abort();
  };
  const report = (news: readonly JoinEvent[]) => {
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
    follow(what, { feed, events, report, opened, clock, startedMs, signal: stopped }).catch(fail),
  );
  await Promise.all(following);
  if (failure) throw failure.error;
}

interface FollowContext {
  feed: Feed;
  events: ReturnType<typeof joinEvents>;
  report(news: readonly JoinEvent[]): void;
  opened(what: WatchedKind): void;
  clock: Clock;
  startedMs: number;
  signal: AbortSignal;
}

const [FIRST_WAIT_MS, LONGEST_WAIT_MS] = [50, 2_000];
/** A reopened watch first delivers what happened in between, within this time. */
const CATCH_UP_MS = 200;

async function follow(what: WatchedKind, { feed, events, report, opened, clock, startedMs, signal }: FollowContext) {
  let version: string | undefined;
  /** All events up to this time were seen. */
  let knownMs = startedMs;
  let waitMs = FIRST_WAIT_MS;

  async function list(): Promise<string> {
    const requestedMs = clock.nowMs();
    const { objects, version: listed } = await feed.list(what, signal);
    report(events.listed(what, objects, { fromMs: knownMs, nowMs: clock.nowMs() }));
    knownMs = requestedMs;
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
          report(events.changed(what, change, object, { fromMs: isLive ? nowMs : knownMs, nowMs }));
      },
    };
    const end = await feed.watch(what, from, listener, signal);
    if (openedMs !== undefined) knownMs = clock.nowMs();
    if (end === 'gone') version = undefined;
  }

  while (!signal.aborted) {
    try {
      version ??= await list();
      if (signal.aborted) return; // the list had everything
      await watch(version);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TransientError)) throw error;
    }
    await clock.sleep(waitMs, signal).catch(() => undefined);
    waitMs = Math.min(2 * waitMs, LONGEST_WAIT_MS);
  }
}
