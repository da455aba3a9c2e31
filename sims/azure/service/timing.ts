// sims/azure/service/timing.ts: how long does each operation take, and how often may a client poll it?

export interface OperationTimes {
  powerOffMs: number;
  deallocateMs: number;
  startMs: number;
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
  /** Retry-After of a running operation of compute, disks and galleries. */
  computeHintMs: number;
  diskHintMs: number;
  galleryHintMs: number;
}

/** Orders of magnitude as published for the service; a 30 GB image version was reported at 11 minutes to 2 hours. */
export const REALISTIC: Readonly<OperationTimes> = {
  powerOffMs: 30_000,
  deallocateMs: 60_000,
  startMs: 45_000,
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
  computeHintMs: 10_000,
  diskHintMs: 5_000,
  galleryHintMs: 15_000,
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
