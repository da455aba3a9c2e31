// local/await-ready.ts: wait until the node of a started instance is Ready, and log the cluster's events. On timeout, report why it is
// not Ready.
import type { CallOptions } from '../base/call-options.ts';
import { UserError } from '../base/errors.ts';
import { openJoinLog } from '../cluster/join-log.ts';
import type { JoinEvent, JoinEventName } from '../cluster/kubernetes/join-events.ts';
import type { JoinWatch } from '../cluster/kubernetes/watch-joining.ts';
import type { PlaneAccess } from '../cluster/local/joining.ts';
import type { JoiningInstance } from '../vms/qemu/pools/admission.ts';
import { inspectJoining } from './inspect-joining.ts';

/** Ready and schedulable: startup taints are removed a moment after Ready. */
const ARRIVED: JoinEventName = 'node-schedulable';
const SETTLE_MS = 30_000;
/** kubelet registers its Node only once. If the Node is deleted right then, kubelet exits after half a minute, restarts and registers again. */
const RETURN_MS = 120_000;
const TELL_EVERY_MS = 1_000;

export async function awaitNodeReady(
  access: PlaneAccess,
  joining: JoiningInstance,
  { signal, onWaiting, deadlineMs }: CallOptions & { deadlineMs: number },
  watchJoining: WatchJoining = watchCluster,
): Promise<void> {
  const { ref, eventsFile, startedMs } = joining;
  const note = openJoinLog(eventsFile, startedMs);
  const events: JoinEvent[] = [];
  const enough = new AbortController();
  const watch = { ...access, nodeName: ref.id, startedMs, until: ARRIVED, signal: either(signal, enough.signal) };
  const watching = watchJoining(watch, (event) => {
    events.push(event);
    note(event);
  }).finally(() => enough.abort());
  watching.catch(() => undefined); // it may fail during the loop; it is awaited below
  const beganMs = access.clock.nowMs();
  const untilMs = () => Math.min(beganMs + deadlineMs, graceEndsMs(events) ?? Number.POSITIVE_INFINITY);
  while (!watch.signal.aborted && access.clock.nowMs() < untilMs() && (await joining.isRunning())) {
    onWaiting?.(waitingFor(ref.id, events.at(-1)?.event));
    await access.clock.sleep(TELL_EVERY_MS, watch.signal).catch(() => undefined); // the abort is handled below
  }
  enough.abort();
  await watching;
  signal?.throwIfAborted();
  if (events.some(({ event }) => event === 'node-ready')) return;
  throw await notReady(access, joining, events, { waitedMs: access.clock.nowMs() - beganMs, signal });
}

/** Once Ready, do not wait long for taints that another controller must remove; nor for a deleted Node that kubelet does not register again. */
function graceEndsMs(events: readonly JoinEvent[]): number | undefined {
  const ready = events.find(({ event }) => event === 'node-ready');
  if (ready) return latestMs(ready) + SETTLE_MS;
  const registered = events.findLastIndex(({ event }) => event === 'node-registered' || event === 'node-returned');
  if (registered === -1) return undefined;
  const deleted = events.slice(registered).find(({ event }) => event === 'node-deleted');
  return deleted && latestMs(deleted) + RETURN_MS;
}

const latestMs = ({ atMs, errorMs = 0 }: JoinEvent) => atMs + errorMs;

type WatchJoining = (watch: JoinWatch, onEvent: (event: JoinEvent) => void) => Promise<void>;

const watchCluster: WatchJoining = async (...given) =>
  (await import('../cluster/kubernetes/watch-joining.ts')).watchJoining(...given);

const either = (given: AbortSignal | undefined, own: AbortSignal) => (given ? AbortSignal.any([given, own]) : own);

const NEXT: Readonly<Partial<Record<JoinEventName, string>>> = {
  'csr-created': 'to get a certificate',
  'csr-approved': 'to get a certificate',
  'csr-issued': 'to register',
  'node-registered': 'to be Ready',
  'node-returned': 'to be Ready',
  'node-ready': 'to be schedulable',
  'node-deleted': 'to register again',
};

function waitingFor(node: string, last: JoinEventName | undefined): string {
  return `node ${node} ${(last && NEXT[last]) ?? 'to request a certificate'}`;
}

async function notReady(
  access: PlaneAccess,
  joining: JoiningInstance,
  events: readonly JoinEvent[],
  { waitedMs, signal }: { waitedMs: number; signal: AbortSignal | undefined },
): Promise<UserError> {
  const { explain, whyNotReady } = await import('../cluster/why-not-ready.ts');
  const reason = whyNotReady(await inspectJoining(access, joining, events, signal));
  const { why, next } = explain(reason, joining.ref.id);
  signal?.throwIfAborted();
  const time = reason.kind === 'no-vm' ? '' : ` after ${Math.round(waitedMs / 1000)} s`;
  return new UserError(`${joining.ref.id} is not Ready${time}: ${why}`, {
    code: 'pool/node-not-ready',
    kept: 'The instance and its disk were kept.',
    next,
    exitCode: 1,
  });
}
