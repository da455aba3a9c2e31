// cli/boot/systemd/plot.ts: `headstart boot systemd plot`: draws the boot as an SVG picture.
import type { Command } from 'commander';
import { UserError } from '../../../base/errors.ts';
import { type CompatPlotOptions, compatPlot } from '../../../boot/compat/systemd/exact/plot.ts';
import { plotRows, renderPlot } from '../../../boot/compat/systemd/plot.ts';
import { phases } from '../../../boot/model/phases.ts';
import { printJson } from '../../output/json.ts';
import type { Verb } from '../../verb.ts';
import { valueOrInput } from '../input-words.ts';
import { isKernelBoot, readBoot, withInputArguments, withInputOptions } from '../read-boot.ts';
import {
  compatOf,
  type JsonOption,
  jsonFacts,
  jsonFormOf,
  printCompat,
  type SystemdOptions,
  withCompatOptions,
} from './options.ts';

interface PlotOptions extends Omit<SystemdOptions, 'json'> {
  json?: JsonOption;
  table?: boolean;
  legend: boolean;
  scaleSvg?: string;
  detailed?: boolean;
}

export const verb: Verb = {
  examples: [
    'boot systemd plot boot.tar.gz > boot.svg',
    'boot systemd plot --json boot.tar.gz',
    'boot systemd plot --compat=252 boot.tar.gz',
  ],
  configure: (command: Command) =>
    withInputArguments(withCompatOptions(withInputOptions(command)))
      .option(
        '--json [short|pretty|off]',
        'print one JSON document; with --compat: the rows of systemd-analyze in this format',
        valueOrInput(command),
      )
      .option('--table', 'with --compat: print the time table of systemd-analyze')
      .option('--no-legend', 'with --compat: leave out the header and the count of --table and --json')
      .option('--scale-svg <FACTOR>', 'stretch the time axis by this factor')
      .option('--detailed', 'with --compat: add the times at which userspace started'),
  async run(args, options: PlotOptions, deps) {
    const { json, ...rest } = options;
    const shared: SystemdOptions = rest;
    const { behaviour } = compatOf(shared, args);
    const scale = parseScale(options.scaleSvg);
    const format = formatOf(options);
    const record = await readBoot(shared, deps, isKernelBoot);
    if (behaviour) {
      return printCompat(
        compatPlot(record, behaviour, {
          format,
          hasLegend: options.legend,
          scale,
          isDetailed: options.detailed === true,
        }),
        deps,
      );
    }
    if (record.units.length === 0 && !record.manager) {
      throw new UserError('the inputs do not list the units of this boot', {
        code: 'boot/no-units',
        next: "add `systemctl show '*'` of the machine, or a bundle made by `headstart boot collect`, with -i",
      });
    }
    if (json !== undefined && json !== 'off') {
      return printJson(deps, 'SystemdPlot', {
        ...jsonFacts(record),
        phases: phases(record),
        units: plotRows(record),
      });
    }
    deps.stdout(renderPlot(record, scale));
  },
};

function formatOf({ json, table }: PlotOptions): CompatPlotOptions['format'] {
  const form = jsonFormOf(json);
  if (form !== undefined) return `json-${form}`;
  return table ? 'table' : 'svg';
}

function parseScale(text: string | undefined): number {
  const scale = text === undefined ? 1 : Number(text);
  if (scale > 0 && scale <= 1000) return scale;
  throw new UserError(`--scale-svg=${text}: expected a factor above 0 and up to 1000`, {
    code: 'boot/bad-option',
    next: 'use a number such as 2 or 0.5',
  });
}
