// cli/boot/systemd/dot.ts: `headstart boot systemd dot`: prints units and their dependencies as a graph for graphviz.
import type { Command } from 'commander';
import { UserError } from '../../../base/errors.ts';
import { type DotOptions, dotEdges, renderDot } from '../../../boot/compat/systemd/dot.ts';
import { compatDot, legend } from '../../../boot/compat/systemd/exact/dot.ts';
import { printJson } from '../../output/json.ts';
import type { Verb } from '../../verb.ts';
import { splitInputs } from '../input-words.ts';
import { appendValue, isKernelBoot, readBoot } from '../read-boot.ts';
import {
  compatOf,
  jsonFacts,
  printCompat,
  type printLines,
  type SystemdOptions,
  withSystemdOptions,
} from './options.ts';

interface DotCommandOptions extends SystemdOptions {
  order?: boolean;
  require?: boolean;
  fromPattern?: string[];
  toPattern?: string[];
}

export const verb: Verb = {
  examples: [
    "boot systemd dot 'cloud-*' boot.tar.gz | dot -Tsvg > cloud.svg",
    'boot systemd dot --order --compat=252 boot.tar.gz',
  ],
  configure: (command: Command) =>
    withSystemdOptions(
      command.argument(
        '[PATTERN...]',
        'print only edges with a matching unit at either end. An existing file is an input, as with -i',
      ),
    )
      .option('--order', 'print only After=')
      .option('--require', 'print everything except After=')
      .option('--from-pattern <GLOB>', 'print only edges from matching units; repeatable', appendValue)
      .option('--to-pattern <GLOB>', 'print only edges to matching units; repeatable', appendValue),
  async run(given, typed: DotCommandOptions, deps) {
    const { behaviour, args } = compatOf(typed, given);
    const { names: patterns, options } = splitInputs(args, typed);
    const dot: DotOptions = {
      edges: options.require ? 'require' : options.order ? 'order' : 'all',
      patterns,
      fromPatterns: options.fromPattern ?? [],
      toPatterns: options.toPattern ?? [],
    };
    const record = await readBoot(options, deps, isKernelBoot);
    if (behaviour) return printCompat(compatDot(record, behaviour, dot), deps);
    if (record.units.length === 0) {
      throw new UserError('the inputs do not list the units of this boot', {
        code: 'boot/no-units',
        next: "add `systemctl show '*'` of the machine, or a bundle made by `headstart boot collect`, with -i",
      });
    }
    const found = dotEdges(record, dot);
    if (options.json) return printJson(deps, 'SystemdDot', { ...jsonFacts(record), edges: found });
    printDotLines(found, deps);
  },
};

function printDotLines(found: ReturnType<typeof dotEdges>, deps: Parameters<typeof printLines>[0]): void {
  deps.stdout(renderDot(found).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, '\ufffd'));
  deps.stderr(legend({ drawsBindsTo: true }));
}
