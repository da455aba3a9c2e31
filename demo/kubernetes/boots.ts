// demo/kubernetes/boots.ts: add a node to a pool, wait until it is Ready, and measure the time.
import { growByOne, instancesOf } from '../boots.ts';
import type { Stage } from '../stage.ts';
import { readyAfterMs } from './ready-after.ts';

export interface NodeBoot {
  instance: string;
  readyMs: number;
}

/** Adds one instance to the pool. */
export async function bootOneMore(stage: Stage, home: string, pool: string): Promise<NodeBoot> {
  const instance = await growByOne(stage, pool);
  return { instance, readyMs: await readyAfterMs(stage, home, pool, instance) };
}

/** Deletes the newest instance and its node, so that each boot is measured alone. */
export async function removeNewest(stage: Stage, pool: string): Promise<void> {
  const count = (await instancesOf(stage, pool)).length;
  await stage.headstart('pool', 'scale', pool, String(count - 1));
}
