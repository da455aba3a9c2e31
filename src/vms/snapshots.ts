// vms/snapshots.ts: is there a copy of an instance's disk, and is it whole? snapshots.suite.ts checks it.
import type { CallOptions } from '../base/call-options.ts';

export interface Snapshot {
  name: string;
  id: string;
  /** complete only when every byte is readable. */
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
 * Copies of disks, by a name the caller chooses. Reading gives undefined for what does not exist. Orders return when the operation
 * has ended; whether every byte is there is for the reader to look. Every order is safe to repeat: done already is success.
 */
export interface Snapshots {
  readSnapshot(name: string, options?: CallOptions): Promise<Snapshot | undefined>;
  /** Throws `NotFound` when there is no such disk. The instance has to be stopped. */
  createSnapshot(spec: SnapshotSpec, options?: CallOptions): Promise<void>;
  deleteSnapshot(name: string, options?: CallOptions): Promise<void>;
}
