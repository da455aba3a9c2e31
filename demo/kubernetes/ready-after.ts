// demo/kubernetes/ready-after.ts: how long from the start of its VM until the node was Ready? Both on this machine's clock.
import { join } from 'node:path';
import { readJoinLog } from '../../src/cluster/join-log.ts';
import { instanceFiles, instanceFolder, poolRef } from '../../src/vms/qemu/home/layout.ts';
import type { Stage } from '../stage.ts';

/** For an instance that was not restarted since it came up. */
export async function readyAfterMs(stage: Stage, home: string, pool: string, instance: string): Promise<number> {
  const shown: { instances: { name: string; startedMs?: number }[] } = JSON.parse(
    await stage.ask('pool', 'show', pool, '--json'),
  );
  const startedMs = shown.instances.find(({ name }) => name === instance)?.startedMs;
  const folder = instanceFolder(home, { pool: poolRef(pool), id: instance });
  const events = readJoinLog(join(folder, instanceFiles.clusterEvents));
  const readyMs = events.find(({ event }) => event === 'node-ready')?.atMs;
  if (startedMs === undefined || readyMs === undefined)
    throw new Error(`the start or the Ready time of ${instance} was not recorded`);
  return readyMs - startedMs;
}
