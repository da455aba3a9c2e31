// cluster/local/plane-deps.ts: the injected dependencies of the local control plane.
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
  checkServerHealth(probe: Probe): Promise<Health>;
  /** Names of missing or wrong role bindings. */
  bindingsToMake(access: PlaneAccess, signal?: AbortSignal): Promise<string[]>;
  letNodesJoin(access: PlaneAccess, signal?: AbortSignal): Promise<void>;
  /** The command of the egress proxy, to be run in the cluster's folder. */
  egressCommand(place: ClusterPlace): Argv;
}
