// sims/azure/service/timing.ts: how long does each operation take, and how often may a client poll it?

export interface OperationTimes {
  powerOffMs: number;
  deallocateMs: number;
  hibernateMs: number;
  startMs: number;
  /** The start of a hibernated instance. */
  resumeMs: number;
  restartMs: number;
  reimageMs: number;
  createInstanceMs: number;
  deleteInstanceMs: number;
  updateModelMs: number;
  updateInstanceMs: number;
  snapshotMs: number;
  deleteSnapshotMs: number;
  galleryMs: number;
  definitionMs: number;
  versionMs: number;
  /** From "Succeeded" until the last region has its bytes: the state alone does not prove replication. */
  replicationLagMs: number;
  updateVersionMs: number;
  deleteVersionMs: number;
  /** A running VM of a standby pool moves into its scale set. */
  standbyMoveMs: number;
  /** Between the ends of two creations in a standby pool. */
  standbyGapMs: number;
  /** How long a degraded standby pool makes no VMs. */
  standbyPauseMs: number;
  deleteStandbyPoolMs: number;
  /** Retry-After of a running operation of compute, disks, galleries and standby pools. */
  computeHintMs: number;
  diskHintMs: number;
  galleryHintMs: number;
  standbyHintMs: number;
}

/**
 * Orders of magnitude as published for the service; a 30 GB image version was reported at 11 minutes to 2 hours. A recorded
 * hibernation took 30 s and a recorded deletion of a standby pool 5 s; no figure for the moves of its VMs is published.
 */
export const REALISTIC: Readonly<OperationTimes> = {
  powerOffMs: 30_000,
  deallocateMs: 60_000,
  hibernateMs: 30_000,
  startMs: 45_000,
  resumeMs: 30_000,
  restartMs: 60_000,
  reimageMs: 120_000,
  createInstanceMs: 90_000,
  deleteInstanceMs: 60_000,
  updateModelMs: 15_000,
  updateInstanceMs: 10_000,
  snapshotMs: 60_000,
  deleteSnapshotMs: 5_000,
  galleryMs: 20_000,
  definitionMs: 10_000,
  versionMs: 40 * 60_000,
  replicationLagMs: 2 * 60_000,
  updateVersionMs: 30_000,
  deleteVersionMs: 60_000,
  standbyMoveMs: 5_000,
  standbyGapMs: 5_000,
  standbyPauseMs: 30_000,
  deleteStandbyPoolMs: 5_000,
  computeHintMs: 10_000,
  diskHintMs: 5_000,
  galleryHintMs: 15_000,
  standbyHintMs: 5_000,
};

export function fasterBy(speed: number, timing: Readonly<OperationTimes>): OperationTimes {
  const scaled = { ...timing };
  for (const key of Object.keys(scaled) as (keyof OperationTimes)[]) scaled[key] = Math.round(scaled[key] / speed);
  return scaled;
}

/** Retry-After is whole seconds; rounded up, so that a client which honours it is never early. */
export function retryAfterSeconds(ms: number): string {
  return String(Math.ceil(ms / 1000));
}
