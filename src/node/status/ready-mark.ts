// node/status/ready-mark.ts: how do units know that the node was configured in this boot? A file that is gone with it: whatever is left on
// the disk of an earlier boot, or of the machine this one is a copy of, is no sign of it.
import { closeSync, constants, lstatSync, mkdirSync, openSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Below the root. kubelet and headstart-node-ready.target have it as their condition. */
export const READY_MARK = 'run/headstart/ready';

/** Before systemd is told; a second time does no harm. */
export function markReady(root: string): void {
  const path = join(root, READY_MARK);
  mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
  closeSync(openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_NOFOLLOW, 0o644));
}

/** kubelet may run already: the daemon started again in a boot in which the node was configured. */
export function isMarkedReady(root: string): boolean {
  return lstatSync(join(root, READY_MARK), { throwIfNoEntry: false })?.isFile() === true;
}
