// node/daemon/tell-systemd.ts: when is systemd told something? Ready at once; the line of `systemctl status` when nobody waits for anything.
import type { Log } from '../status/log.ts';
import type { Notify } from '../status/notify.ts';

export interface SystemdTeller {
  ready(line: string): Promise<void>;
  /** On the way to kubelet a child is not worth its time. */
  news(line: string, options: { isOnTheWay: boolean }): void;
  end(): Promise<void>;
}

export function tellSystemd(notify: Notify, log: Log): SystemdTeller {
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

  return {
    async ready(line) {
      said = line;
      const failure = await notify.ready(line);
      if (failure !== undefined) log('error', `systemd was not told that the node is configured: ${failure}`);
    },
    news(line, { isOnTheWay }) {
      if (isOnTheWay || line === (latest ?? said)) return;
      latest = line;
      telling ??= tellAll();
    },
    async end() {
      await telling;
      await notify.stopping();
    },
  };
}
