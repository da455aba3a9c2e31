// image/build/sum-worker.ts: the worker thread of sum-in-worker.ts. It hashes one file and posts the result.
import { parentPort, workerData } from 'node:worker_threads';
import { type SparseFile, sumWhole } from './disk/sparse-copy.ts';

void sumWhole(workerData as SparseFile).then((sum) => parentPort?.postMessage(sum));
