// node/status/report-ready.ts: how does the daemon report the provisioning result to Azure? Azure marks an instance as
// failed if it reports nothing for too long. Without cloud-init and the guest agent, the daemon reports to the wire
// server, after it has let kubelet start.
import { type Backoff, pauseMs } from '../../base/backoff.ts';
import type { Clock } from '../../base/clock.ts';
import { type MetadataResponse, requestMetadata, statusFailure } from '../metadata/http.ts';
import { MetadataFailure } from '../metadata/source.ts';
import { type ReasonCode, reasonFor } from '../reason-codes.ts';

/** A failure is reported with its code and summary only, so that nothing of the document leaves the node. */
export type PlatformReport = { kind: 'ready' } | { kind: 'failed'; code: ReasonCode };

export interface ReportDeps {
  clock: Clock;
  /** From 0 up to 1. */
  random(): number;
  signal?: AbortSignal | undefined;
  /** Called when the cause changes, not at every retry. */
  onRetry?(cause: { reason: ReasonCode; message: string; attempts: number }): void;
  /** Default: `http://168.63.129.16`. */
  url?: string | undefined;
  deadlineMs?: number | undefined;
}

export type ReportResult =
  | { isReported: true; attempts: number }
  | { isReported: false; code: 'platform/not-told'; reason: string; attempts: number };

/** After about this time the platform has marked the instance as failed. */
const DEADLINE_MS = 20 * 60_000;
const TIMEOUT_MS = 10_000;
const BACKOFF: Backoff = { firstMs: 200, maxMs: 15_000, jitter: 0.5, retryAfter: 'at-least' };
const VERSION = { 'x-ms-version': '2012-11-30', 'x-ms-agent-name': 'headstart' };

/** Idempotent. Rejects only with the reason of `signal`. */
export async function reportToPlatform(report: PlatformReport, deps: ReportDeps): Promise<ReportResult> {
  const { clock, random, signal, onRetry, deadlineMs = DEADLINE_MS } = deps;
  let spentMs = 0; // summed up, because the clock may be set while the machine boots
  let lastCause = '';
  for (let attempts = 1; ; attempts++) {
    const fromMs = clock.nowMs();
    try {
      await sendReport(report, deps);
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

/** A report contains values of the goal state. Fetched for every attempt, because it changes when the platform moves the instance. */
async function sendReport(
  report: PlatformReport,
  { url = 'http://168.63.129.16', clock, signal }: ReportDeps,
): Promise<void> {
  const request = { timeoutMs: TIMEOUT_MS, signal };
  const isGood = (answer: MetadataResponse) => {
    if (answer.status !== 200) throw statusFailure(answer, clock.nowMs());
    return answer;
  };
  const { body } = isGood(
    await requestMetadata({ url: new URL('/machine/?comp=goalstate', url), headers: VERSION, ...request }),
  );
  const text = renderHealth(report, parseGoalState(body.toString('utf8')));
  isGood(
    await requestMetadata({
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

/** Extracts three elements. Their XML entities stay encoded, because the report repeats them. */
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
