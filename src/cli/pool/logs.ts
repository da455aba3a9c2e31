// cli/pool/logs.ts: `headstart pool logs INSTANCE`: prints the serial console of a guest.
import { systemClock } from '../../base/clock.ts';
import { findLocalInstance } from '../../local/find.ts';
import { consoleLines, followConsole } from '../../vms/qemu/guest/console.ts';
import { type OpenPools, openPools, type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { printJson, printJsonLine } from '../output/json.ts';
import { printable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { wholeNumber } from './arguments.ts';

interface Options extends PoolOptions {
  follow?: boolean;
  lines: number;
}

export const verb = poolLogs(openPools);

export function poolLogs(open: OpenPools): Verb {
  return {
    examples: ['pool logs pool1-000001', 'pool logs pool1-000001 -f --lines 20'],
    configure: (command) =>
      withPoolOptions(command)
        .argument('<INSTANCE>', 'the instance, as `pool show` lists it')
        .option('-f, --follow', 'keep printing new lines until Ctrl-C')
        .option('--lines <N>', 'print only the last N lines', wholeNumber(0, 1e9), 200),
    async run([name = ''], options: Options, deps) {
      const provider = await open(options, deps);
      const { ref } = await findLocalInstance(provider, name, {});
      const { consoleLog } = await provider.guests.readDetails(ref);
      const { lines, endsAt } = consoleLines(consoleLog, options.lines);
      const print = (text: string) =>
        options.json
          ? printJsonLine(deps, 'PoolLogLine', { instance: name, text })
          : deps.stdout(`${printable(text)}\n`);
      if (!options.follow) {
        if (options.json) return printJson(deps, 'PoolLogs', { instance: name, lines });
        for (const line of lines) print(line);
        return;
      }
      const signal = deps.signal();
      for (const line of lines) print(line);
      await followConsole(consoleLog, endsAt, { print, clock: systemClock, signal });
    },
  };
}
