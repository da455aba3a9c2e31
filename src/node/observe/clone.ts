// node/observe/clone.ts: did this machine start from a copy of another one's disk? The clone check ran before us and left a note of what it did;
// what headstart remembers from before that is of the other machine. Told by whose it was, not by when: clocks are set, and the note is
// written to again once containerd is up.
import { join } from 'node:path';
import type { Why } from '../daemon/state.ts';
import { readPlainFile } from './plain-file.ts';

/** Below the root. Only there on a machine that took a disk over. */
const RESULT = 'var/lib/headstart/clone-check/result';
const MAX_BYTES = 64 << 10;

export interface CloneNote {
  /** Of the machine that took the disk over, as the clone check saw it then. */
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
      ? `this machine was given an identity of its own; not done: ${failed.join(', ')}`
      : 'this machine was given an identity of its own';
  return { vmId, why: { code: 'clone/new-identity', detail } };
}

/** What was applied before the disk was copied was not applied to this machine. */
export function isFromBefore({ vmId }: CloneNote, active: { vmId?: string | undefined } | undefined): boolean {
  return active !== undefined && active.vmId !== vmId;
}

function textOf(path: string): string | undefined {
  try {
    const bytes = readPlainFile(path, MAX_BYTES);
    return bytes && Buffer.from(bytes).toString('utf8');
  } catch {
    return undefined; // a link or a device is no note
  }
}
