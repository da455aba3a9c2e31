// cli/sim-ssh.ts: replaces ssh for simulated machines: `node sim-ssh.ts MACHINES [-T …] -- HOST COMMAND`.
// Each folder in MACHINES is the disk of one machine. A script of headstart is rewritten to work on that folder; any other
// script is refused, because it would change the machine that this program runs on.
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ownPath } from '../base/own-files/own-files.ts';
import { sealScript, unsealScript, verifyScript } from '../clone-check/seal-script.ts';
import { inspectScript } from '../prototype/donor/inspect/inspect-script.ts';

/** The exit code of ssh when it cannot connect. */
const NOT_CONNECTED = 255;
/** First in PATH: the real `sync` would wait for every disk of this machine, and the real `mktemp` would leave the folder. */
const TOOLS = ownPath(new URL('../../sims/azure/machine-tools', import.meta.url));

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
  const script = scriptForFolder(readFileSync(0, 'utf8'), root);
  return script === undefined
    ? refuse(`${name} is simulated and runs only the scripts of headstart prototype`)
    : runScript(script, root);
}

function refuse(why: string): number {
  process.stderr.write(`ssh: ${why}\n`);
  return NOT_CONNECTED;
}

/** The same script for the folder; undefined unless the text is exactly a script that headstart writes. */
function scriptForFolder(script: string, root: string): string | undefined {
  const nodeName = /^node_name='([\w.-]+)'$/m.exec(script)?.[1] ?? '';
  const vmId = /'--donor-id' '([\w-]+)'/.exec(script)?.[1] ?? '';
  const known = [
    (at: { root?: string }) => inspectScript({ nodeName, wantsCustomData: true, ...at }),
    (at: { root?: string }) => sealScript({ vmId, ...at }),
    (at: { root?: string }) => verifyScript(at.root),
    (at: { root?: string }) => unsealScript(at.root),
  ];
  return known.find((write) => write({}) === script)?.({ root });
}

function runScript(script: string, root: string): number {
  const env = { PATH: `${TOOLS}:/usr/sbin:/usr/bin:/sbin:/bin`, MACHINE_TEMPORARY: join(root, 'run') };
  const { status } = spawnSync('/bin/sh', ['-s'], { input: script, env, stdio: ['pipe', 'inherit', 'inherit'] });
  return status ?? 1;
}
