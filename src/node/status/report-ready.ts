// node/status/report-ready.ts: how does the platform learn that this instance came up, or did not? Azure deletes one that says nothing for too
// long. Where neither cloud-init nor an agent is there to speak, this does: to the wire server, once kubelet was started, never on the way to it.
import { type Backoff, pauseMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { type Answer, ask, statusFailure } from '../metadata/http.ts';
import { MetadataFailure } from '../metadata/source.ts';
import { type ReasonCode, reasonFor } from '../reason-codes.ts';

/** Of a failure only the code and its sentence from the catalogue are told: nothing of the document leaves the node this way. */
export type PlatformReport = { kind: 'ready' } | { kind: 'failed'; code: ReasonCode };

export interface ReportDeps {
  clock: Clock;
  /** From 0 up to 1. */
  random(): number;
  signal?: AbortSignal | undefined;
  /** Told when the cause changes, not every time. */
  onRetry?(cause: { reason: ReasonCode; message: string; attempts: number }): void;
  /** `http://168.63.129.16` unless a test stands in for it. */
  url?: string | undefined;
  deadlineMs?: number | undefined;
}

export type ReportResult =
  | { isReported: true; attempts: number }
  | { isReported: false; code: 'platform/not-told'; reason: string; attempts: number };

/** After about this long the platform has made up its mind. */
const DEADLINE_MS = 20 * 60_000;
const TIMEOUT_MS = 10_000;
const BACKOFF: Backoff = { firstMs: 200, maxMs: 15_000, jitter: 0.5, retryAfter: 'at-least' };
const VERSION = { 'x-ms-version': '2012-11-30', 'x-ms-agent-name': 'headstart' };

/** Rejects only with the reason of `signal`. Telling the same twice does no harm. */
export async function reportToPlatform(report: PlatformReport, deps: ReportDeps): Promise<ReportResult> {
  const { clock, random, signal, onRetry, deadlineMs = DEADLINE_MS } = deps;
  let spentMs = 0; // counted, not looked up: the clock may be set while a machine boots
  let lastCause = '';
  for (let attempts = 1; ; attempts++) {
    const fromMs = clock.nowMs();
    try {
      await tell(report, deps);
      return { isReported: true, attempts };
    } catch (error) {
      signal?.throwIfAborted();
      if (!(error instanceof MetadataFailure)) throw error;
      if (error.message !== lastCause) onRetry?.({ reason: error.reason, message: error.message, attempts });
      lastCause = error.message;
      spentMs += Math.min(Math.max(0, clock.nowMs() - fromMs), 2 * TIMEOUT_MS);
      const waitMs = pauseMs(attempts, BACKOFF, { retryAfterMs: error.retryAfterMs, random: random() });
      if (spentMs + waitMs > deadlineMs)
        return { isReported: false, code: 'platform/not-told', reason: error.message, attempts };
      await clock.sleep(waitMs, signal);
      spentMs += waitMs;
    }
  }
}

/** A report repeats what the goal state says, which is asked for every time: it changes when the platform moves the instance. */
async function tell(
  report: PlatformReport,
  { url = 'http://168.63.129.16', clock, signal }: ReportDeps,
): Promise<void> {
  const request = { timeoutMs: TIMEOUT_MS, signal };
  const isGood = (answer: Answer) => {
    if (answer.status !== 200) throw statusFailure(answer, clock.nowMs());
    return answer;
  };
  const { body } = isGood(await ask({ url: new URL('/machine/?comp=goalstate', url), headers: VERSION, ...request }));
  const text = renderHealth(report, parseGoalState(body.toString('utf8')));
  isGood(
    await ask({
      url: new URL('/machine?comp=health', url),
      method: 'POST',
      headers: { ...VERSION, 'Content-Type': 'text/xml; charset=utf-8' },
      body: text,
      ...request,
    }),
  );
}

interface GoalState {
  incarnation: string;
  containerId: string;
  instanceId: string;
}

/** Three flat elements of a document that is otherwise not ours; its entities are passed back as they came. */
export function parseGoalState(xml: string): GoalState {
  const element = (name: string) => {
    const found = new RegExp(`<${name}>\\s*([^<\\s][^<]{0,511}?)\\s*</${name}>`).exec(xml)?.[1];
    if (found === undefined) throw new MetadataFailure('metadata/bad-answer', `the goal state has no ${name}`);
    return found;
  };
  return {
    incarnation: element('Incarnation'),
    containerId: element('ContainerId'),
    instanceId: element('InstanceId'),
  };
}

export function renderHealth(report: PlatformReport, { incarnation, containerId, instanceId }: GoalState): string {
  const details =
    report.kind === 'ready'
      ? '<State>Ready</State>'
      : `<State>NotReady</State><Details><SubStatus>ProvisioningFailed</SubStatus><Description>${escaped(
          `headstart ${report.code}: ${reasonFor(report.code).summary}`,
        )}</Description></Details>`;
  return (
    '<?xml version="1.0" encoding="utf-8"?>' +
    '<Health xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xmlns:xsd="http://www.w3.org/2001/XMLSchema">' +
    `<GoalStateIncarnation>${incarnation}</GoalStateIncarnation><Container><ContainerId>${containerId}</ContainerId>` +
    `<RoleInstanceList><Role><InstanceId>${instanceId}</InstanceId><Health>${details}</Health></Role></RoleInstanceList>` +
    '</Container></Health>'
  );
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
