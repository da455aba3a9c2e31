// prototype/simulation/sweep-worker.testing.ts: a thread that plays the seeds it gets, so that a campaign uses all cores.

import { parentPort } from 'node:worker_threads';
import { sweepSeeds } from './sweep.testing.ts';

parentPort!.on('message', async ({ first, last }: { first: number; last: number }) => {
  parentPort!.postMessage(await sweepSeeds(first, last));
});
