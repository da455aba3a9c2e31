// node/status/notify.ts: how does systemd learn that kubelet may start, and what the daemon is at? Node.js has no datagram sockets of
// the kind systemd listens on, and a native module would cost more than it saves, so `systemd-notify` says it: one short-lived child when
// the node is configured, one when the line that `systemctl status` shows changes, none while nothing happens. The unit is therefore of
// Type=notify with NotifyAccess=all, and has no watchdog: that would be a child every few seconds for the life of the node.
import type { RunCommand } from '../../base/command.ts';

export interface Notify {
  /** Once: what waits for us may start. On the way to kubelet, so nothing else is done in this call. */
  ready(status: string): Promise<NotifyResult>;
  status(text: string): Promise<NotifyResult>;
  stopping(): Promise<NotifyResult>;
}

/** Undefined: said, or there is nobody to say it to. Otherwise why it could not be said. */
export type NotifyResult = string | undefined;

/** The child waits until systemd has taken it, which is at once unless systemd is busy starting the rest of the machine. */
const TIMEOUT_MS = 10_000;

export function notifySystemd(run: RunCommand, env: Readonly<Record<string, string | undefined>>): Notify {
  const { NOTIFY_SOCKET } = env;
  if (!NOTIFY_SOCKET)
    return { ready: async () => undefined, status: async () => undefined, stopping: async () => undefined };
  const say = async (...words: string[]): Promise<NotifyResult> => {
    const ran = await run(['systemd-notify', ...words], { timeoutMs: TIMEOUT_MS, env: { ...env } });
    if (ran.outcome === 'exited' && ran.code === 0) return undefined;
    return `systemd-notify ${ran.outcome === 'exited' ? `ended with ${ran.code}` : ran.outcome}`;
  };
  return {
    ready: (status) => say('--ready', `--status=${oneLine(status)}`),
    status: (text) => say(`--status=${oneLine(text)}`),
    stopping: () => say('STOPPING=1'),
  };
}

/** A line feed would begin another message. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, 200);
}
