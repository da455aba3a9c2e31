// cli/pool/exec.ts: `headstart pool exec INSTANCE -- CMD…`: runs a program in the guest as root, through the guest agent, without a network.

import { isUtf8 } from 'node:buffer';
import { callGuest, requireRunning } from '../../local/call-guest.ts';
import { findLocalInstance } from '../../local/find.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { orInterrupted } from '../or-interrupted.ts';
import { printJson } from '../output/json.ts';
import { passedInput } from '../passed-input.ts';
import { writeAll } from '../streams.ts';
import type { Verb } from '../verb.ts';
import { timeoutOption } from './arguments.ts';

interface Options extends PoolOptions {
  timeout: number;
  stdin: boolean;
}

/** The streams of this process: a program may print bytes that are not text. */
export interface Streams {
  /** Undefined: there is none. */
  input(): Promise<Uint8Array | undefined>;
  write(fd: 1 | 2, bytes: Uint8Array): void;
}

export const verb = poolExec(openPools, { input: passedInput, write: writeAll });

export function poolExec(open: OpenPools, { input: readInput, write }: Streams): Verb {
  return {
    examples: ['pool exec pool1-000001 -- systemctl is-system-running', 'pool exec pool1-000001 -- sh -s < script.sh'],
    configure: (command) =>
      withPoolOptions(command)
        .argument('<INSTANCE>', 'the instance, as `pool show` lists it')
        .argument('<CMD...>', 'the program and its arguments, after --; it runs without a shell')
        .addOption(timeoutOption('fail if the program has not ended after this time', '10min'))
        .option(
          '--no-stdin',
          'give the program no input; default: pass on standard input, except a terminal and a socket that is silent for 1 s',
        ),
    async run([name = '', program = '', ...args], options: Options, deps) {
      const input = options.stdin ? await readInput() : undefined;
      const signal = deps.signal();
      const provider = await open(options, deps);
      const instance = requireRunning(await findLocalInstance(provider, name, { signal }));
      const interruption = {
        code: 'pool/interrupted',
        kept: `The program may still be running on ${name}.`,
        next: 'run it again',
      };
      const ran = await orInterrupted(signal, interruption, () =>
        callGuest(instance, () =>
          provider.guests.runInGuest(instance.ref, [program, ...args], {
            deadlineMs: options.timeout,
            signal,
            ...(input && { input }),
          }),
        ),
      );
      if (options.json) printJson(deps, 'PoolExec', { instance: name, exitCode: ran.exitCode, ...asText(ran) });
      else {
        write(1, ran.stdout);
        write(2, ran.stderr);
      }
      return ran.exitCode;
    },
  };
}

/** Output that is not UTF-8 is encoded as base64, so that no byte is lost. */
function asText({ stdout, stderr }: { stdout: Buffer; stderr: Buffer }) {
  const encoding = isUtf8(stdout) && isUtf8(stderr) ? 'utf8' : 'base64';
  return { encoding, stdout: stdout.toString(encoding), stderr: stderr.toString(encoding) };
}
