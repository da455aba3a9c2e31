// cli/sim-azure.ts: `headstart sim azure`: simulates Azure on this machine, to try the prototype verbs without a subscription.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { layDisk } from '../../sims/azure/compute/disk.ts';
import { parseScenario, type Scenario } from '../../sims/azure/scenario.ts';
import { ArmError } from '../../sims/azure/service/arm-error.ts';
import { type AzureSim, startAzureSim } from '../../sims/azure/start.ts';
import { type Clock, systemClock } from '../base/clock.ts';
import { UserError } from '../base/errors.ts';
import { ownPath, ownProgram } from '../base/own-files/own-files.ts';
import { makeTemporaryFolder } from '../host/temporary-folder.ts';
import { printJson } from './output/json.ts';
import type { CliDeps, Verb } from './verb.ts';

const DEFAULT_SCENARIO = new URL('../../sims/azure/scenarios/three-nodes.yaml', import.meta.url);

const NOTES = `The Azure CLI, with the printed variables set:
  export REQUESTS_CA_BUNDLE=$NODE_EXTRA_CA_CERTS
  export AZURE_CORE_INSTANCE_DISCOVERY=false
  az cloud register --name headstart-sim \\
    --endpoint-resource-manager $HEADSTART_AZURE_ENDPOINT
  az cloud set --name headstart-sim
  az login --service-principal --username $AZURE_CLIENT_ID \\
    --password $AZURE_CLIENT_SECRET --tenant $AZURE_TENANT_ID
The Python SDK: docs/simulator.md, "Other clients".`;

interface Options {
  scenario?: string;
  port: string;
  speed: string;
  json?: boolean;
}

export const verb: Verb = {
  notes: NOTES,
  examples: ['sim azure', 'sim azure --scenario sims/azure/scenarios/flexible.yaml --port 8443 --speed 1000'],
  configure(command) {
    command
      .option(
        '--scenario <FILE>',
        'the state at the start: cluster, region, scale sets; default: sims/azure/scenarios/three-nodes.yaml',
      )
      .option('--port <N>', 'the port to listen on, on the loopback address; 0: any free port', '0')
      .option('--speed <X>', 'the speed of operations, as a multiple of the real Azure', '100')
      .option('--json', 'print the address and the variables to set as one JSON document');
  },
  async run(_args, options: Options, deps) {
    const port = wholeNumber('--port', options.port, 0, 65_535);
    const speed = wholeNumber('--speed', options.speed, 1, 1_000_000);
    const file = options.scenario ?? ownPath(DEFAULT_SCENARIO);
    const scenario = parseScenario(readScenario(file), file);
    const signal = deps.signal(); // first: Ctrl-C must not leave the folder below behind
    const folder = makeTemporaryFolder(tmpdir(), 'headstart-sim-');
    try {
      const sim = await start(scenario, port, speed);
      try {
        announce({ sim, scenario, files: layFiles(folder, sim), speed, isJson: options.json === true }, deps);
        if (!signal.aborted) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      } finally {
        await sim.stop();
      }
      deps.stderr(`stopped after ${sim.requests.length} requests\n`);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Files {
  caPath: string;
  ssh: string;
  home: string;
}

/** What clients of the simulator need besides its address. Machine folders are created once: an instance added later has none. */
function layFiles(folder: string, sim: AzureSim<Clock>): Files {
  const files = { caPath: join(folder, 'ca.pem'), ssh: join(folder, 'ssh'), home: join(folder, 'home') };
  const machines = join(folder, 'machines');
  writeFileSync(files.caPath, sim.caPem);
  mkdirSync(files.home);
  mkdirSync(machines);
  for (const instance of Object.values(sim.inspect().instances))
    layDisk(join(machines, instance.computerName), instance);
  const standIn = [...ownProgram(new URL('./sim-ssh.ts', import.meta.url)), machines].map(quoted).join(' ');
  writeFileSync(files.ssh, `#!/bin/sh\nexec ${standIn} "$@"\n`, { mode: 0o755 });
  return files;
}

function quoted(word: string): string {
  return /^[\w./:@=+,-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function wholeNumber(flag: string, text: string, least: number, most: number): number {
  const value = Number(text);
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw new UserError(`${flag} is a whole number from ${least} to ${most}, not '${text}'`, { code: 'sim/bad-number' });
}

function readScenario(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    throw new UserError(`cannot read the scenario ${path}: ${(cause as NodeJS.ErrnoException).code}`, {
      code: 'sim/scenario-unreadable',
      next: 'name an existing file, or leave --scenario out to start with three nodes',
      cause,
    });
  }
}

async function start(scenario: Scenario, port: number, speed: number): Promise<AzureSim<Clock>> {
  try {
    return await startAzureSim({ scenario, port, speed, clock: systemClock });
  } catch (cause) {
    if (cause instanceof ArmError) {
      throw new UserError(`Azure would not create the instances of this scenario: ${cause.message}`, {
        code: 'sim/bad-scenario',
        kept: 'Nothing was started.',
        next: 'give the scale set a marketplace image, or instances: 0',
        cause,
      });
    }
    const { code } = cause as NodeJS.ErrnoException;
    const next = 'leave out --port to use any free port';
    if (code === 'EADDRINUSE') throw new UserError(`port ${port} is in use`, { code: 'sim/port-taken', next, cause });
    if (code !== 'EACCES') throw cause;
    throw new UserError(`no permission to listen on port ${port}`, { code: 'sim/port-forbidden', next, cause });
  }
}

interface Announcement {
  sim: AzureSim<Clock>;
  scenario: Scenario;
  files: Files;
  speed: number;
  isJson: boolean;
}

function announce({ sim, scenario, files, speed, isJson }: Announcement, deps: CliDeps): void {
  const { cluster, region, subscription, tenant, resourceGroup, scaleSets } = scenario;
  const noProxy = deps.env.NO_PROXY ?? deps.env.no_proxy;
  const env = {
    HEADSTART_AZURE_ENDPOINT: sim.url,
    AZURE_AUTHORITY_HOST: sim.url,
    NODE_EXTRA_CA_CERTS: files.caPath,
    AZURE_SUBSCRIPTION_ID: subscription,
    AZURE_RESOURCE_GROUP: resourceGroup,
    AZURE_TENANT_ID: tenant,
    AZURE_CLIENT_ID: '00000000-0000-0000-0000-0000000000c1',
    AZURE_CLIENT_SECRET: 'any-secret-will-do',
    NO_PROXY: ['127.0.0.1', noProxy].filter(Boolean).join(','), // the SDK would send requests for this machine to a proxy
    HEADSTART_VMS: 'azure',
    HEADSTART_SSH: files.ssh,
    HEADSTART_HOME: files.home,
  };
  if (isJson) {
    printJson(deps, 'AzureSimulator', { endpoint: sim.url, caPath: files.caPath, speed, env });
    return;
  }
  const pools = scaleSets.map(({ name, mode, instances }) => `${name} (${mode}, ${instances})`).join(', ');
  deps.stderr(`Azure simulator: cluster ${cluster} in ${region}, ${speed} times faster than real: ${pools}\n`);
  deps.stdout(
    `${Object.entries(env)
      .map(([name, value]) => `export ${name}=${quoted(value)}`)
      .join('\n')}\n`,
  );
  deps.stderr('Set these variables in another terminal: paste the lines, or source the file they went to.\n');
  deps.stderr('Ctrl-C stops the simulator.\n');
}
