// node/status/notify.ts: how does the daemon notify systemd that kubelet may start, and of its status line? Node.js has
// no Unix datagram sockets, and a native module would cost more than it saves, so the daemon runs `systemd-notify`: one
// short-lived child when the node is configured and one for each new status line. The unit therefore has Type=notify
// with NotifyAccess=all, and no watchdog, which would need a child every few seconds.
import type { RunCommand } from '../../base/command.ts';

export interface Notify {
  /** Units ordered after the daemon may start. On the critical path to kubelet, so this call does nothing else. */
  ready(status: string): Promise<NotifyResult>;
  status(text: string): Promise<NotifyResult>;
  stopping(): Promise<NotifyResult>;
}

/** The reason of a failure; undefined: sent, or systemd does not listen. */
export type NotifyResult = string | undefined;

/** The child waits until systemd has received the message, which takes longer while systemd is busy with the boot. */
const TIMEOUT_MS = 10_000;

export function notifySystemd(run: RunCommand, env: Readonly<Record<string, string | undefined>>): Notify {
  const { NOTIFY_SOCKET } = env;
  if (!NOTIFY_SOCKET)
    return { ready: async () => undefined, status: async () => undefined, stopping: async () => undefined };
  const send = async (...args: string[]): Promise<NotifyResult> => {
    const ran = await run(['systemd-notify', ...args], { timeoutMs: TIMEOUT_MS, env: { ...env } });
    if (ran.outcome === 'exited' && ran.code === 0) return undefined;
    return `systemd-notify ${ran.outcome === 'exited' ? `exited with ${ran.code}` : ran.outcome}`;
  };
  return {
    ready: (status) => send('--ready', `--status=${oneLine(status)}`),
    status: (text) => send(`--status=${oneLine(text)}`),
    stopping: () => send('STOPPING=1'),
  };
}

/** A line feed would start another message. */
function oneLine(text: string): string {
  return text.replace(/[\u0000-\u001f\u007f]+/g, ' ').slice(0, 200);
}
