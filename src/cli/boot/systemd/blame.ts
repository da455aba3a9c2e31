// cli/boot/systemd/blame.ts: `headstart boot systemd blame`: lists units by the time they took to start.
import type { Command } from 'commander';
import { UserError } from '../../../base/errors.ts';
import { renderBlame, slowestUnits, unitsNotRun } from '../../../boot/compat/systemd/blame.ts';
import { compatSystemdBlame } from '../../../boot/compat/systemd/exact/blame.ts';
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
  printLines,
  type SystemdOptions,
  withCompatOptions,
} from './options.ts';

interface BlameOptions extends Omit<SystemdOptions, 'json'> {
  json?: JsonOption;
}

export const verb: Verb = {
  examples: [
    'boot systemd blame',
    'boot systemd blame --json boot.tar.gz',
    'boot systemd blame --compat=252 boot.tar.gz',
  ],
  configure: (command: Command) =>
    withInputArguments(withCompatOptions(withInputOptions(command))).option(
      '--json [short|pretty|off]',
      'print one JSON document; with --compat: the rows of systemd-analyze in this format',
      valueOrInput(command),
    ),
  async run(args, { json, ...options }: BlameOptions, deps) {
    const { behaviour } = compatOf(options, args);
    const form = jsonFormOf(json);
    const record = await readBoot(options, deps, isKernelBoot);
    if (behaviour) return printCompat(compatSystemdBlame(record, behaviour, form), deps);
    if (record.units.length === 0) {
      throw new UserError('the inputs do not list the units of this boot', {
        code: 'boot/no-units',
        next: "add `systemctl show '*'` of the machine, or a bundle made by `headstart boot collect`, with -i",
      });
    }
    const units = slowestUnits(record);
    if (form !== undefined) {
      return printJson(deps, 'SystemdBlame', { ...jsonFacts(record), units, notRun: unitsNotRun(record) });
    }
    if (units.length === 0) deps.stderr(`none of the ${record.units.length} units took any time to start\n`);
    printLines(deps, renderBlame(units));
  },
};
