// demo/kubernetes/boots.ts: one more node of a pool, from nothing to Ready, and how long that took.
import { growByOne, instancesOf } from '../boots.ts';
import type { Stage } from '../stage.ts';
import { readyAfterMs } from './ready-after.ts';

export interface NodeBoot {
  instance: string;
  readyMs: number;
}

/** The pool grows by one. */
export async function bootOneMore(stage: Stage, home: string, pool: string): Promise<NodeBoot> {
  const instance = await growByOne(stage, pool);
  return { instance, readyMs: await readyAfterMs(stage, home, pool, instance) };
}

/** The newest goes again, and its node with it: each boot is measured alone. */
export async function removeNewest(stage: Stage, pool: string): Promise<void> {
  const count = (await instancesOf(stage, pool)).length;
  await stage.headstart('pool', 'scale', pool, String(count - 1));
}
