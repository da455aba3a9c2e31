// cluster/local/stop-servers.ts: stops servers, including hung and paused ones.

import type { CallOptions } from '../../base/call-options.ts';
import { UserError } from '../../base/errors.ts';
import type { PlaneDeps } from './plane-deps.ts';
import { SERVERS, type Server } from './server-flags.ts';

const STOP_MS = 20_000;
const POLL_MS = 250;

/** Returns those that ran. In reverse start order, so that no server loses one that it depends on. */
export async function stopServers(
  folder: string,
  deps: Pick<PlaneDeps, 'clock' | 'processes'>,
  call: CallOptions,
): Promise<Server[]> {
  const running = SERVERS.toReversed().filter((server) => deps.processes.find(folder, server));
  for (const server of running) await stopServer(folder, server, deps, call);
  return running;
}

export async function stopServer(
  folder: string,
  server: Server,
  { clock, processes }: Pick<PlaneDeps, 'clock' | 'processes'>,
  { signal, onWaiting }: CallOptions,
): Promise<void> {
  for (const order of ['SIGTERM', 'SIGKILL'] as const) {
    processes.signal(folder, server, order);
    processes.signal(folder, server, 'SIGCONT'); // a paused process cannot exit
    for (let waitedMs = 0; waitedMs < STOP_MS; waitedMs += POLL_MS) {
      if (!processes.find(folder, server)) return;
      onWaiting?.(`${server} to stop`);
      await clock.sleep(POLL_MS, signal);
    }
  }
  const pid = processes.find(folder, server)?.pid;
  throw new UserError(`${server} (process ${pid}) does not stop`, { code: 'cluster/plane-stuck', exitCode: 1 });
}
