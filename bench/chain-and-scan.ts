// bench/chain-and-scan.ts: one process that starts, reads a graph, and answers critical-chain and what-if --scan on it.

import { criticalChain } from '../src/boot/compat/systemd/critical-chain.ts';
import { renderCriticalChain } from '../src/boot/compat/systemd/render-chain.ts';
import { loadInputs } from '../src/boot/load/load.ts';
import { whatIfScan } from '../src/boot/questions/what-if-scan.ts';

const [record] = await loadInputs([process.argv[2]!], { readStdin: () => new Uint8Array(), nowUs: Date.now() * 1000 });
process.stdout.write(`${renderCriticalChain(criticalChain(record!), record!, (text) => text)}`);
process.stdout.write(`${JSON.stringify(whatIfScan(record!, { limit: 10 }))}\n`);
