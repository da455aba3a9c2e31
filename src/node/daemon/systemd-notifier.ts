// node/daemon/systemd-notifier.ts: when is systemd told something? Ready at once; the line of `systemctl status` when nobody waits for anything.
import type { Clock } from '../../base/clock.ts';
import { type Log, withoutRepeats } from '../status/log.ts';
import type { Notify } from '../status/notify.ts';

export interface SystemdNotifier {
  /** Returns after one attempt; one that failed is repeated, since nothing of the node starts without it. A second call is only news. */
  ready(line: string): Promise<void>;
  /** On the way to kubelet a child is not worth its time. */
  news(line: string, options: { isOnTheWay: boolean }): void;
  end(): Promise<void>;
}

export interface SystemdDeps {
  notify: Notify;
  clock: Clock;
  log: Log;
  /** Nobody waits for it any more. */
  signal: AbortSignal;
}

const REPEAT_MS = 2000;

export function createSystemdNotifier({ notify, clock, log, signal }: SystemdDeps): SystemdNotifier {
  const logOnChange = withoutRepeats(log);
  let isReady = false;
  let repeating: Promise<void> | undefined;
  let latest: string | undefined;
  let said: string | undefined;
  let telling: Promise<void> | undefined;

  /** One child at a time, and only for the latest. */
  async function tellAll(): Promise<void> {
    while (latest !== undefined) {
      const line = latest;
      said = line;
      latest = undefined;
      const failure = await notify.status(line);
      if (failure !== undefined) log('debug', failure);
    }
    telling = undefined;
  }

  async function sayReady(line: string): Promise<boolean> {
    const failure = await notify.ready(line);
    if (failure === undefined) return true;
    logOnChange('ready', 'error', `systemd was not told that the node is configured: ${failure}`);
    return false;
  }

  async function repeatReady(line: string): Promise<void> {
    const isTimeForIt = () =>
      clock.sleep(REPEAT_MS, signal).then(
        () => true,
        () => false,
      );
    while ((await isTimeForIt()) && !(await sayReady(line)));
  }

  function news(line: string): void {
    if (line === (latest ?? said)) return;
    latest = line;
    telling ??= tellAll();
  }

  return {
    async ready(line) {
      if (isReady) return news(line);
      isReady = true;
      said = line;
      if (!(await sayReady(line))) repeating = repeatReady(line);
    },
    news(line, { isOnTheWay }) {
      if (!isOnTheWay) news(line);
    },
    async end() {
      await Promise.all([telling, repeating]);
      await notify.stopping();
    },
  };
}
