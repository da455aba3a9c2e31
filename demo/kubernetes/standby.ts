// demo/kubernetes/standby.ts: claim one standby node, and read how long it took from the claim to Ready.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readJoinLog } from '../../src/cluster/join-log.ts';
import { instanceFiles, instanceFolder, poolRef } from '../../src/vms/qemu/home/layout.ts';
import type { Stage } from '../stage.ts';
import type { NodeBoot } from './boots.ts';
import { readyAfterMs } from './ready-after.ts';

export interface NodeClaim extends NodeBoot {
  /** A tier, or `cold`. */
  from: string;
}

/** Its place stays empty: a refill would measure the machine. */
export async function claimOne(stage: Stage, home: string, pool: string): Promise<NodeClaim> {
  const answer = await stage.ask('standby', 'claim', pool, '--no-refill', '--json');
  const { claims }: { claims: { instance: string; from: string }[] } = JSON.parse(answer.trimEnd().split('\n').at(-1)!);
  const { instance, from } = claims[0]!;
  // A new instance was not claimed: its VM was started.
  const readyMs = sinceClaimMs(home, pool, instance) ?? (await readyAfterMs(stage, home, pool, instance));
  return { instance, from, readyMs };
}

function sinceClaimMs(home: string, pool: string, instance: string): number | undefined {
  const folder = instanceFolder(home, { pool: poolRef(pool), id: instance });
  const file = join(folder, instanceFiles.claim);
  if (!existsSync(file)) return undefined;
  const { steps }: { steps: { name: string; at: string }[] } = JSON.parse(readFileSync(file, 'utf8'));
  const claimedAt = steps.find(({ name }) => name === 'claimed')?.at;
  const ready = readJoinLog(join(folder, instanceFiles.clusterEvents)).find(({ event }) => event === 'node-ready');
  if (claimedAt === undefined || !ready) throw new Error(`the claim or the Ready time of ${instance} was not recorded`);
  return ready.atMs - Date.parse(claimedAt);
}
