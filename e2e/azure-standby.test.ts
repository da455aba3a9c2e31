// Does a standby pool on Azure live as Microsoft's Python SDK expects, and do the standby verbs drive it? The referee checks every exchange.
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeReport, seatReferee } from '../sims/azure/referee/referee.ts';
import { type AzureSim, startAzureSim } from '../sims/azure/start.ts';
import { type Clock, systemClock } from '../src/base/clock.ts';
import { runClient } from './labs/run-client.ts';
import { ensurePython, missingPython, PYTHON_FOLDER } from './programs/ensure-python.ts';

const PROGRAM = fileURLToPath(new URL('../src/cli/bin.ts', import.meta.url));
const INSTALL_AND_RUN_MS = 10 * 60_000;
const SPEED = 100;
const missing = await missingPython();
if (missing !== undefined) process.stderr.write(`NOT RUN: the Python SDK of standby pools: ${missing}\n`);
const referee = await seatReferee();
const folder = mkdtempSync(join(tmpdir(), 'headstart-standby-'));
let sim: AzureSim<Clock>;

/** What `headstart sim azure` prints. In this process, so that a test can set a fault and hear the referee. */
function env(): Record<string, string> {
  const { subscriptionId, tenantId } = sim.inspect();
  const caPath = join(folder, 'ca.pem');
  writeFileSync(caPath, sim.caPem);
  return {
    HEADSTART_AZURE_ENDPOINT: sim.url,
    AZURE_AUTHORITY_HOST: sim.url,
    NODE_EXTRA_CA_CERTS: caPath,
    AZURE_SUBSCRIPTION_ID: subscriptionId,
    AZURE_RESOURCE_GROUP: 'demo',
    AZURE_TENANT_ID: tenantId,
    AZURE_CLIENT_ID: '00000000-0000-0000-0000-0000000000c1',
    AZURE_CLIENT_SECRET: 'any',
    NO_PROXY: '127.0.0.1',
    HEADSTART_VMS: 'azure',
  };
}

describe.each(['python', 'verbs'] as const)('a standby pool, driven by %s', (client) => {
  beforeAll(async () => {
    sim = await startAzureSim({
      referee,
      clock: systemClock,
      speed: SPEED,
      scenario: {
        cluster: 'demo',
        resourceGroup: 'demo',
        scaleSets: [{ name: 'pool1', mode: 'Flexible', instances: 2, hibernation: true }],
      },
    });
  });
  afterAll(() => sim.stop());

  it.skipIf(client !== 'python' || missing !== undefined)(
    'is made, grows its set, is degraded and deleted',
    async () => {
      sim.fail({ on: 'PUT standbyVirtualMachinePools', kind: 'standby-degraded', after: 1 });
      const bin = await ensurePython('azure-mgmt-standbypool-2.txt');
      const script = join(PYTHON_FOLDER, 'standby_pool.py');
      const { code, lines } = await runClient('azure-mgmt-standbypool-2', [join(bin, 'python'), script], env());
      expect(code, lines.join('\n')).toBe(0);
      expect(lines.at(-1)).toBe('done: 12 steps');
    },
    INSTALL_AND_RUN_MS,
  );

  it.skipIf(client !== 'verbs')('is kept, shown, claimed and deleted', async () => {
    const headstart = async (...argv: string[]) => {
      const args = ['--disable-warning=ExperimentalWarning', PROGRAM, 'standby', ...argv];
      const { stdout } = await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env() } });
      return stdout;
    };
    expect(await headstart('up', 'pool1', '--paused', '1', '--frozen', '1')).toContain('1 of 1 paused, 1 of 1 frozen');
    const status = JSON.parse(await headstart('status', '--json'));
    expect(status.pools[0].members.map(({ tier, state }: Record<string, string>) => [tier, state]).sort()).toEqual([
      ['frozen', 'ready'],
      ['paused', 'ready'],
    ]);
    const lines = (await headstart('claim', 'pool1', '--count', '3', '--json')).trim().split('\n');
    const claimed = JSON.parse(lines.at(-1) ?? '');
    expect(claimed).toMatchObject({ kind: 'StandbyClaim', isReady: false });
    expect(claimed.claims.map(({ from }: { from: string }) => from).sort()).toEqual(['cold', 'frozen', 'paused']);
    expect(await headstart('down', 'pool1', '--yes')).toBe('pool pool1 keeps no standby nodes\n');
    expect(Object.values(sim.inspect().instances)).toHaveLength(5);
  });
});

it('every exchange of both has the form that Azure gives it', async () => {
  rmSync(folder, { recursive: true });
  const report = await referee.report();
  process.stderr.write(`${describeReport(report)}\n`);
  expect(report.rejected).toEqual([]);
});
