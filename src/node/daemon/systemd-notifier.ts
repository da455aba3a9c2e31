// node/daemon/systemd-notifier.ts: when does the daemon notify systemd? Ready immediately; the status line only when
// that does not delay kubelet.
import type { Clock } from '../../base/clock.ts';
import { type Log, withoutRepeats } from '../status/log.ts';
import type { Notify } from '../status/notify.ts';

export interface SystemdNotifier {
  /**
   * Returns after one attempt. A failed attempt is repeated, because kubelet does not start without it. A second call
   * only updates the status line.
   */
  ready(line: string): Promise<void>;
  /** Does nothing if `delaysKubelet`: the child process would take time before kubelet starts. */
  news(line: string, options: { delaysKubelet: boolean }): void;
  end(): Promise<void>;
}

export interface SystemdDeps {
  notify: Notify;
  clock: Clock;
  log: Log;
  /** Ends the repetition. */
  signal: AbortSignal;
}

const REPEAT_MS = 2000;

export function createSystemdNotifier({ notify, clock, log, signal }: SystemdDeps): SystemdNotifier {
  const logOnChange = withoutRepeats(log);
  let isReady = false;
  let repeating: Promise<void> | undefined;
  let latest: string | undefined;
  let lastLine: string | undefined;
  let sending: Promise<void> | undefined;

  /** One child process at a time, and only for the latest line. */
  async function sendLatest(): Promise<void> {
    while (latest !== undefined) {
      const line = latest;
      lastLine = line;
      latest = undefined;
      const failure = await notify.status(line);
      if (failure !== undefined) log('debug', failure);
    }
    sending = undefined;
  }

  async function notifyReady(line: string): Promise<boolean> {
    const failure = await notify.ready(line);
    if (failure === undefined) return true;
    logOnChange('ready', 'error', `could not notify systemd that the node is configured: ${failure}`);
    return false;
  }

  async function repeatReady(line: string): Promise<void> {
    const waitToRepeat = () =>
      clock.sleep(REPEAT_MS, signal).then(
        () => true,
        () => false,
      );
    while ((await waitToRepeat()) && !(await notifyReady(line)));
  }

  function news(line: string): void {
    if (line === (latest ?? lastLine)) return;
    latest = line;
    sending ??= sendLatest();
  }

  return {
    async ready(line) {
      if (isReady) return news(line);
      isReady = true;
      lastLine = line;
      if (!(await notifyReady(line))) repeating = repeatReady(line);
    },
    news(line, { delaysKubelet }) {
      if (!delaysKubelet) news(line);
    },
    async end() {
      await Promise.all([sending, repeating]);
      await notify.stopping();
    },
  };
}
