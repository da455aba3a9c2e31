// Does Microsoft's Python SDK, which nobody here wrote, get through the whole life of a pool on `headstart sim azure`? Two releases, nothing in between.
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runClient } from './labs/run-client.ts';
import { startSimAzure } from './labs/sim-azure.ts';
import { ensurePython, missingPython, PYTHON_FOLDER } from './programs/ensure-python.ts';

const missing = await missingPython();
if (missing !== undefined) process.stderr.write(`NOT RUN: the Python SDK on the simulator: ${missing}\n`);
const INSTALL_AND_RUN_MS = 10 * 60_000;

describe.skipIf(missing !== undefined)('the whole life of a pool on the simulator', () => {
  test.concurrent.each(['azure-mgmt-compute-34', 'azure-mgmt-compute-39'])(
    'with %s',
    { timeout: INSTALL_AND_RUN_MS },
    async (name) => {
      const bin = await ensurePython(`${name}.txt`);
      const sim = await startSimAzure('--speed', '1000');
      try {
        const { code, lines } = await runClient(
          name,
          [join(bin, 'python'), join(PYTHON_FOLDER, 'pool_life.py')],
          sim.env,
        );
        expect(code, lines.join('\n')).toBe(0);
        expect(lines.at(-1)).toBe('done: 21 steps');
      } finally {
        await sim.stop();
      }
    },
  );
});
