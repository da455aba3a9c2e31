// node/daemon/platform-reporter.ts: when does the daemon report to the platform? Right after it has let kubelet start.
// If that takes longer than 15 minutes it reports why, because the platform marks a silent instance as failed.
// A VM that the platform parked itself is not reported as failed.
import type { Clock } from '../../base/clock.ts';
import { detectPlatform, type MetadataPlatform } from '../metadata/detect.ts';
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
  platform: MetadataPlatform | undefined;
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

  async function deliver(report: PlatformReport): Promise<void> {
    const { reportToPlatform } = await import('../status/report-ready.ts'); // keep it off the path to kubelet
    const onRetry = ({ message }: { message: string }) =>
      log('warning', `could not report to the platform yet: ${message}`);
    const result = await reportToPlatform(report, { clock, random: Math.random, signal, onRetry, url });
    if (result.isReported) log('info', `reported to the platform: ${report.kind}`);
    else log('error', `could not report to the platform: ${result.reason}`, { code: result.code });
  }

  const send = (report: PlatformReport) =>
    void deliver(report).catch((error: Error) => {
      if (!signal.aborted) log('error', `could not report to the platform: ${error.message}`);
    });

  if (isOurs) {
    clock.sleep(PATIENCE_MS, AbortSignal.any([signal, ready.signal])).then(
      () => code !== 'standby/parked' && send({ kind: 'failed', code }),
      () => {}, // the node is ready, or the daemon stops
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
