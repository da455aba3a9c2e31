// vms/snapshots.ts: contract for copies of instance disks. snapshots.suite.ts checks it.
import type { CallOptions } from '../base/call-options.ts';

export interface Snapshot {
  name: string;
  id: string;
  /** `complete` only when every byte is readable. */
  state: 'creating' | 'complete' | 'failed';
  percent: number;
  sourceDiskId: string;
  createdMs: number;
  tags: Readonly<Record<string, string>>;
}

export interface SnapshotSpec {
  name: string;
  sourceDiskId: string;
  region: string;
  tags: Readonly<Record<string, string>>;
}

/**
 * The caller chooses a snapshot's name. A read returns undefined when the snapshot does not exist. A change returns when the operation
 * has ended; the bytes may still be copied then, so callers read `state`. Every change is safe to repeat: it succeeds when the result
 * already exists.
 */
export interface Snapshots {
  readSnapshot(name: string, options?: CallOptions): Promise<Snapshot | undefined>;
  /** The instance must be stopped. Throws `NotFound` when the disk does not exist. */
  createSnapshot(spec: SnapshotSpec, options?: CallOptions): Promise<void>;
  deleteSnapshot(name: string, options?: CallOptions): Promise<void>;
}
