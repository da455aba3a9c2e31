// cli/sim-ssh.ts: the program that stands in for ssh where the machines are simulated: `node sim-ssh.ts MACHINES [-T …] -- HOST COMMAND`.
// Each folder of MACHINES is the disk of one machine. A script is replaced by the same script for that folder; one that
// cannot be is refused, because it would change the machine that this program runs on.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sealScript, unsealScript, verifyScript } from '../clone-check/seal-script.ts';
import { inspectScript } from '../prototype/inspect/inspect-script.ts';

/** What ssh ends with when it could not connect. */
const NOT_CONNECTED = 255;
/** Programs that come before the real ones: `sync` would wait for every disk of the real machine, `mktemp` leave the folder. */
const TOOLS = fileURLToPath(new URL('../../sims/azure/machine-tools', import.meta.url));

process.exitCode = connect(process.argv.slice(2));

function connect([machines = '', ...args]: string[]): number {
  const [host = '', ...command] = args.slice(args.indexOf('--') + 1);
  const name = host.replace(/^.*@/, '');
  const known = readdirSync(machines);
  if (!known.includes(name)) {
    return refuse(`could not resolve hostname ${name}: the simulated machines are ${known.join(', ') || 'none'}`);
  }
  if (command.join(' ') === 'true') return 0;
  const root = join(machines, name);
  const script = scriptForFolder(readFileSync(0, 'utf8'), name, root);
  return script === undefined
    ? refuse(`${name} is simulated and runs only the scripts of headstart prototype`)
    : runScript(script, root);
}

function refuse(why: string): number {
  process.stderr.write(`ssh: ${why}\n`);
  return NOT_CONNECTED;
}

/** undefined: not a script that can be kept to the folder. */
function scriptForFolder(script: string, nodeName: string, root: string): string | undefined {
  const vmId = readFileSync(join(root, 'sys/class/dmi/id/product_uuid'), 'utf8').trim();
  const known = [
    (root?: string) => inspectScript({ nodeName, wantsCustomData: true, ...(root && { root }) }),
    (root?: string) => sealScript({ vmId, ...(root && { root }) }),
    (root?: string) => verifyScript(root),
    (root?: string) => unsealScript(root),
  ];
  return known.find((write) => write() === script)?.(root);
}

function runScript(script: string, root: string): number {
  const env = { PATH: `${TOOLS}:/usr/sbin:/usr/bin:/sbin:/bin`, MACHINE_TEMPORARY: join(root, 'run') };
  const { status } = spawnSync('/bin/sh', ['-s'], { input: script, env, stdio: ['pipe', 'inherit', 'inherit'] });
  return status ?? 1;
}
