// cli/verbose.ts: `--verbose`: prints each call to Azure, Kubernetes and other programs on stderr.
import { Option } from 'commander';
import { onTrace } from '../base/trace.ts';
import { takeFlag } from './command-line.ts';
import { printable } from './output/table.ts';
import type { CliDeps } from './verb.ts';

const FLAG = '--verbose';

/** For help and completion: the flag is removed from the command line before a verb reads it. */
export function verboseOption(): Option {
  return new Option(FLAG, 'print calls to Azure, Kubernetes and tools to stderr');
}

/** Returns the command line without the flag. `stop` ends the printing. */
export function traceIfVerbose(argv: readonly string[], deps: CliDeps): { argv: string[]; stop(): void } {
  const { isGiven, rest } = takeFlag(argv, FLAG);
  if (!isGiven && !isOn(deps.env.HEADSTART_VERBOSE)) return { argv: rest, stop: () => {} };
  return {
    argv: rest,
    stop: onTrace(({ to, text }) => deps.stderr(`verbose: ${to.padEnd(10)} ${printable(text)}\n`)),
  };
}

function isOn(value: string | undefined): boolean {
  return value !== undefined && !/^(?:|0|no|off|false)$/i.test(value);
}
