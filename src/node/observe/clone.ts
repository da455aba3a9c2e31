// node/observe/clone.ts: did this machine start from a copy of another machine's disk? The clone check runs before the daemon and writes a
// result file. State that headstart saved before belongs to the other machine. It is recognised by VM id, not by time, because clocks
// are adjusted and the clone check writes the file again once containerd is up.
import { join } from 'node:path';
import type { Why } from '../daemon/state.ts';
import { readPlainFile } from './plain-file.ts';

/** Below the root. Exists only on a clone. */
const RESULT = 'var/lib/headstart/clone-check/result';
const MAX_BYTES = 64 << 10;

export interface CloneNote {
  /** VM id of the clone, as recorded by the clone check. */
  vmId: string;
  why: Why;
}

export function readCloneNote(root: string): CloneNote | undefined {
  const text = textOf(join(root, RESULT)) ?? '';
  const vmId = /^vm-id=(\S+)$/m.exec(text)?.[1];
  if (vmId === undefined) return undefined;
  const failed = [...text.matchAll(/^([a-z][a-z0-9-]*)=failed/gm)].map(([, item]) => item);
  const detail =
    failed.length > 0
      ? `the clone check gave this machine a new identity; failed: ${failed.join(', ')}`
      : 'the clone check gave this machine a new identity';
  return { vmId, why: { code: 'clone/new-identity', detail } };
}

/** True if the active generation was applied before the disk was copied, so not to this machine. */
export function isFromBefore({ vmId }: CloneNote, active: { vmId?: string | undefined } | undefined): boolean {
  return active !== undefined && active.vmId !== vmId;
}

function textOf(path: string): string | undefined {
  try {
    const bytes = readPlainFile(path, MAX_BYTES);
    return bytes && Buffer.from(bytes).toString('utf8');
  } catch {
    return undefined; // not a plain file
  }
}
