// cluster/local/plane-deps.ts: what does a standing plane need of the world? Passed in, so that tests can replace it.
import type { Clock } from '../../base/clock.ts';
import type { Argv } from '../../base/command.ts';
import type { ClusterPlace } from './cluster-files.ts';
import type { Health, Probe } from './health.ts';
import type { PlaneAccess } from './joining.ts';
import type { ServerProcesses } from './server-processes.ts';

export interface PlaneDeps {
  clock: Clock;
  processes: ServerProcesses;
  isPortFree(port: number): Promise<boolean>;
  freeBytes(folder: string): Promise<number>;
  /** From 0 up to 1. */
  random(): number;
  checkHealth(probe: Probe): Promise<Health>;
  /** Those that are not as they should be. */
  bindingsToMake(access: PlaneAccess, signal?: AbortSignal): Promise<string[]>;
  letNodesJoin(access: PlaneAccess, signal?: AbortSignal): Promise<void>;
  /** Runs the proxy by which the API server reaches nodes, in the cluster's folder. */
  egressCommand(place: ClusterPlace): Argv;
}
