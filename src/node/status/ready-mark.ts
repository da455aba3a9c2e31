// node/status/ready-mark.ts: how do units know that the node was configured in this boot? By a file on a tmpfs: a file
// on disk could be from an earlier boot or from the donor.
import { closeSync, constants, lstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Relative to the root. kubelet and headstart-node-ready.target have it as a condition. */
export const READY_MARK = 'run/headstart/ready';

/** Call it before systemd is notified. Idempotent. */
export function markReady(root: string): void {
  const path = join(root, READY_MARK);
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o644));
}

/** The node was configured in this boot before the daemon restarted, so kubelet may already run. */
export function isMarkedReady(root: string): boolean {
  return lstatSync(join(root, READY_MARK), { throwIfNoEntry: false })?.isFile() === true;
}
