// cli/complete/boot-names-worker.ts: reads the inputs in a worker thread. Reading cannot be interrupted, so boot-values.ts terminates the thread at the deadline.
import { parentPort, workerData } from 'node:worker_threads';
import { loadInputs } from '../../boot/load/load.ts';
import { type BootKind, bootNames } from './boot-names.ts';

export interface BootQuestion {
  kind: BootKind;
  inputs: string[];
  /** The value of `--boot`. */
  boot: string;
  text: string;
  nowUs: number;
}

const { kind, inputs, boot, text, nowUs } = workerData as BootQuestion;
// No top-level await: in the executable this is a CommonJS script.
void loadInputs(inputs, { readStdin: () => new Uint8Array(), nowUs }).then((records) =>
  parentPort?.postMessage(bootNames(kind, records, boot, text)),
);
