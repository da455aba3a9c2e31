// image/build/sum-worker.ts: what runs in the thread that sum-in-worker.ts starts. One file, one answer.
import { parentPort, workerData } from 'node:worker_threads';
import { type SparseFile, sumWhole } from './disk/sparse-copy.ts';

parentPort?.postMessage(await sumWhole(workerData as SparseFile));
