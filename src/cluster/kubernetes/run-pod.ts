// cluster/kubernetes/run-pod.ts: runs a short-lived pod on a node until it ends, returns its log, and always removes the pod.
import type { V1Pod } from '@kubernetes/client-node';
import { TransientError, UserError } from '../../base/errors.ts';
import { Conflict } from '../../base/failures.ts';
import type { Client } from './connect.ts';
import { HELPER_CONTAINER, stateOf } from './helper-pod.ts';

const POLL_MS = 500;
/** Limit for removing the pod afterwards. */
const CLEAN_UP_MS = 15_000;

export interface PodRun {
  nodeName: string;
  deadlineMs: number;
  signal?: AbortSignal | undefined;
  /** What the deadline is for, in its error: `the script`. */
  what: string;
}

/** First removes the pod of a run that died. */
export function podRunner(client: Client): (pod: V1Pod, run: PodRun) => Promise<string> {
  const { core, clock, namespace, call, find } = client;
  const request = (verb: string, name: string, resource = 'pods') => ({ verb, resource, name, namespace });

  const read = (name: string, signal?: AbortSignal) =>
    find(request('get', name), (options) => core.readNamespacedPod({ name, namespace }, options), { signal });

  const remove = (name: string, signal?: AbortSignal) =>
    find(
      request('delete', name),
      (options) => core.deleteNamespacedPod({ name, namespace, body: { gracePeriodSeconds: 1 } }, options),
      { signal },
    );

  /** Waits until it is gone: a pod that is marked for deletion may still run its script. */
  async function removeAndWait(name: string, untilMs: number, signal?: AbortSignal): Promise<void> {
    for (let pod = await read(name, signal); pod; pod = await read(name, signal)) {
      if (!pod.metadata?.deletionTimestamp) await remove(name, signal);
      if (clock.nowMs() >= untilMs)
        throw new TransientError(`helper pod ${name} does not terminate`, { code: 'cluster/helper-stays' });
      await clock.sleep(POLL_MS, signal);
    }
  }

  /** Ignores the caller's signal, so that an interrupted run cleans up too. The next run removes a pod that stays. */
  async function cleanUp(name: string): Promise<void> {
    try {
      await removeAndWait(name, clock.nowMs() + CLEAN_UP_MS);
    } catch (error) {
      if (!(error instanceof TransientError)) throw error;
    }
  }

  async function create(pod: V1Pod, signal?: AbortSignal): Promise<void> {
    const name = pod.metadata?.name ?? '';
    try {
      await call(request('create', name), (options) => core.createNamespacedPod({ namespace, body: pod }, options), {
        signal,
      });
    } catch (error) {
      if (error instanceof Conflict) {
        throw new TransientError(`another run uses helper pod ${name}`, { code: 'cluster/helper-busy', cause: error });
      }
      throw error;
    }
  }

  async function readLog(name: string, signal?: AbortSignal): Promise<string> {
    return call(
      request('get', name, 'pods/log'),
      (options) => core.readNamespacedPodLog({ name, namespace, container: HELPER_CONTAINER }, options),
      { signal },
    );
  }

  async function waitForEnd(name: string, run: PodRun, untilMs: number): Promise<void> {
    for (;;) {
      const pod = await read(name, run.signal);
      if (!pod) throw new TransientError(`helper pod ${name} was deleted`, { code: 'cluster/helper-gone' });
      const state = stateOf(pod);
      if (state.is === 'ended') return;
      if (clock.nowMs() >= untilMs) throw notInTime(run, state.is === 'waiting' ? state.reason : undefined);
      await clock.sleep(POLL_MS, run.signal);
    }
  }

  return async (pod, run) => {
    const name = pod.metadata?.name ?? '';
    const { deadlineMs, signal } = run;
    const untilMs = clock.nowMs() + deadlineMs;
    await removeAndWait(name, untilMs, signal);
    let log: string;
    try {
      await create(pod, signal);
      await waitForEnd(name, run, untilMs);
      log = await readLog(name, signal);
    } catch (error) {
      await cleanUp(name).catch(() => undefined); // report the first error
      throw error;
    }
    await cleanUp(name);
    return log;
  };
}

function notInTime({ nodeName, what }: PodRun, waitsFor: string | undefined): UserError {
  const why = waitsFor === undefined ? `${what} is still running` : `its pod has not started (${waitsFor})`;
  return new UserError(`${what} on ${nodeName} timed out: ${why}`, {
    code: 'cluster/run-timeout',
    kept: 'The helper pod was removed.',
    next: `check that the helper image can be pulled on ${nodeName} (a private registry needs --helper-pull-secret) and that its kubelet answers, then run the same command again`,
    exitCode: 1,
  });
}
