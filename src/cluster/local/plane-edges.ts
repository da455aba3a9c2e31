// cluster/local/plane-edges.ts: what does a standing plane need of the world? Passed in, so that tests can replace it.
import type { Clock } from '../../base/clock.ts';
import type { Health, Probe } from './health.ts';
import type { StandingProcesses } from './standing-process.ts';

export interface PlaneEdges {
  clock: Clock;
  processes: StandingProcesses;
  isPortFree(port: number): Promise<boolean>;
  freeBytes(folder: string): Promise<number>;
  /** From 0 up to 1. */
  random(): number;
  askHealth(probe: Probe): Promise<Health>;
  letNodesJoin(kubeconfig: string, signal?: AbortSignal): Promise<void>;
}
