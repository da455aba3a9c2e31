// image/build/lanes.ts: how is the same work done for several items, a few at a time? After the first failure it stops the other items and waits for them.

/** Unlike p-map, which rejects at once and leaves the other items running in folders that are about to be removed. */
export async function inLanes<T, R>(
  items: readonly T[],
  { lanes, signal }: { lanes: number; signal?: AbortSignal | undefined },
  work: (item: T, signal: AbortSignal) => Promise<R>,
): Promise<R[]> {
  signal?.throwIfAborted();
  const stop = new AbortController();
  const either = signal ? AbortSignal.any([signal, stop.signal]) : stop.signal;
  const results = new Map<number, R>();
  const queue = items.entries(); // shared: each lane takes the next item
  const lane = async () => {
    for (const [index, item] of queue) {
      either.throwIfAborted();
      results.set(index, await work(item, either));
    }
  };
  const running = Array.from({ length: Math.max(1, Math.min(lanes, items.length)) }, () =>
    lane().catch((error: unknown) => {
      if (!stop.signal.aborted) stop.abort(error);
    }),
  );
  await Promise.all(running);
  signal?.throwIfAborted();
  stop.signal.throwIfAborted();
  return items.map((_, index) => results.get(index) as R);
}
