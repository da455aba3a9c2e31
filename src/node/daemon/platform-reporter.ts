// node/daemon/platform-reporter.ts: when does the platform hear of it? As soon as kubelet may start, after it was told so. A node that does not
// get there within a quarter of an hour says why, for the platform gives up on one that is silent.
import type { Clock } from '../../base/clock.ts';
import { detectPlatform, type Platform } from '../metadata/detect.ts';
import type { Log } from '../status/log.ts';
import type { NodeStatus } from '../status/node-status.ts';
import type { PlatformReport } from '../status/report-ready.ts';
import { whoReports } from '../status/who-reports.ts';

export interface PlatformReporter {
  ready(): void;
  news(status: NodeStatus): void;
}

export interface PlatformOptions {
  root: string;
  platform: Platform | undefined;
  url: string | undefined;
  clock: Clock;
  log: Log;
  signal: AbortSignal;
}

const PATIENCE_MS = 15 * 60_000;

export function createPlatformReporter({ root, platform, url, clock, log, signal }: PlatformOptions): PlatformReporter {
  const isOurs = (platform ?? detectPlatform(root)) === 'azure' && whoReports(root) === 'headstart';
  const ready = new AbortController();
  let code: NodeStatus['code'] = 'metadata/waiting';

  async function report(told: PlatformReport): Promise<void> {
    const { reportToPlatform } = await import('../status/report-ready.ts'); // not on the way to kubelet
    const onRetry = ({ message }: { message: string }) => log('warning', `the platform is not told yet: ${message}`);
    const result = await reportToPlatform(told, { clock, random: Math.random, signal, onRetry, url });
    if (result.isReported) log('info', `the platform was told: ${told.kind}`);
    else log('error', `the platform was not told: ${result.reason}`, { code: result.code });
  }

  const send = (told: PlatformReport) =>
    void report(told).catch((error: Error) => {
      if (!signal.aborted) log('error', `the platform was not told: ${error.message}`);
    });

  if (isOurs) {
    clock.sleep(PATIENCE_MS, AbortSignal.any([signal, ready.signal])).then(
      () => send({ kind: 'failed', code }),
      () => {}, // it is ready, or we end
    );
  }
  return {
    ready() {
      ready.abort();
      if (isOurs) send({ kind: 'ready' });
    },
    news(status) {
      code = status.code;
    },
  };
}
