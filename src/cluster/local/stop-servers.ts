// cluster/local/stop-servers.ts: the servers of a standing plane end, those that do not listen and those that are paused, too.

import type { CallOptions } from '../../base/call-options.ts';
import { UserError } from '../../base/errors.ts';
import type { PlaneDeps } from './plane-deps.ts';
import { SERVERS, type Server } from './server-flags.ts';

const END_MS = 20_000;
const LOOK_EVERY_MS = 250;

/** Gives those that ran. The opposite order of starting: nobody asks somebody who is gone. */
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
    processes.signal(folder, server, 'SIGCONT'); // one that is paused could not end
    for (let waitedMs = 0; waitedMs < END_MS; waitedMs += LOOK_EVERY_MS) {
      if (!processes.find(folder, server)) return;
      onWaiting?.(`${server} to end`);
      await clock.sleep(LOOK_EVERY_MS, signal);
    }
  }
  const pid = processes.find(folder, server)?.pid;
  throw new UserError(`${server} (process ${pid}) does not end`, { code: 'cluster/plane-stuck', exitCode: 1 });
}
