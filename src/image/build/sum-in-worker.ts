// image/build/sum-in-worker.ts: the checksum of a large file, taken in a thread of its own. Hashing is half of an image's time, and there is more than one core.
import { Worker } from 'node:worker_threads';
import type { FileSum } from '../../host/file-sum.ts';
import type { SparseFile } from './disk/sparse-copy.ts';

/** As sumWhole gives it. */
export function sumInWorker({ file, ranges, signal }: SparseFile): Promise<FileSum> {
  signal?.throwIfAborted();
  const worker = new Worker(new URL('./sum-worker.ts', import.meta.url), { workerData: { file, ranges } });
  const stop = () => void worker.terminate();
  signal?.addEventListener('abort', stop, { once: true });
  return new Promise<FileSum>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    // After an answer this says nothing any more.
    worker.once('exit', (code) => reject(signal?.aborted ? signal.reason : new Error(`a thread ended with ${code}`)));
  }).finally(() => signal?.removeEventListener('abort', stop));
}
