// Does the Azure CLI, which nobody here wrote, get through the whole life of a pool on `headstart sim azure`? Large to install: `make campaign PART=azure-cli`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { runClient } from './labs/run-client.ts';
import { startSimAzure } from './labs/sim-azure.ts';
import { ensurePython, missingPython, PYTHON_FOLDER } from './programs/ensure-python.ts';

const missing = await missingPython();
if (missing !== undefined) process.stderr.write(`NOT RUN: the Azure CLI on the simulator: ${missing}\n`);
const INSTALL_AND_RUN_MS = 30 * 60_000;

describe.skipIf(missing !== undefined)('the whole life of a pool on the simulator', () => {
  test('with the Azure CLI', { timeout: INSTALL_AND_RUN_MS }, async () => {
    const bin = await ensurePython('azure-cli.txt');
    const settings = mkdtempSync(join(tmpdir(), 'headstart-az-'));
    const sim = await startSimAzure('--speed', '1000');
    try {
      const env = { ...sim.env, AZURE_CONFIG_DIR: settings, PATH: `${bin}:${process.env.PATH}` };
      const { code, lines } = await runClient('az', ['bash', join(PYTHON_FOLDER, 'pool_life_az.sh')], env);
      expect(code, lines.join('\n')).toBe(0);
      expect(lines.at(-1)).toMatch(/^done: 13 steps/);
    } finally {
      await sim.stop();
      rmSync(settings, { recursive: true, force: true });
    }
  });
});
