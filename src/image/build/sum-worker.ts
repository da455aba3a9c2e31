// image/build/sum-worker.ts: what runs in the thread that sum-beside.ts starts. One file, one answer.
import { parentPort, workerData } from 'node:worker_threads';
import { type Sparse, sumWhole } from './disk/sparse-copy.ts';

parentPort?.postMessage(await sumWhole(workerData as Sparse));
