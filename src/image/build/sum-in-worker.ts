// image/build/sum-in-worker.ts: how is a large file hashed without blocking? In a worker thread; hashing takes half of the build time of an image.
import { ownWorker } from '../../base/own-files/own-files.ts';
import type { FileSum } from '../../host/file-sum.ts';
import type { SparseFile } from './disk/sparse-copy.ts';

/** The result of sumWhole. */
export function sumInWorker({ file, ranges, signal }: SparseFile): Promise<FileSum> {
  signal?.throwIfAborted();
  const worker = ownWorker(new URL('./sum-worker.ts', import.meta.url), { workerData: { file, ranges } });
  const stop = () => void worker.terminate();
  signal?.addEventListener('abort', stop, { once: true });
  return new Promise<FileSum>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    // Has no effect after the promise is resolved.
    worker.once('exit', (code) =>
      reject(signal?.aborted ? signal.reason : new Error(`the worker thread exited with ${code}`)),
    );
  }).finally(() => signal?.removeEventListener('abort', stop));
}
