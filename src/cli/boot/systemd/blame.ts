// cli/boot/systemd/blame.ts: `headstart boot systemd blame`: lists units by the time they took to start.
import { UserError } from '../../../base/errors.ts';
import { renderBlame, slowestUnits, unitsNotRun } from '../../../boot/compat/systemd/blame.ts';
import { compatSystemdBlame } from '../../../boot/compat/systemd/exact/blame.ts';
import { printJson } from '../../output/json.ts';
import type { Verb } from '../../verb.ts';
import { readBoot, withInputArguments } from '../read-boot.ts';
import { compatOf, jsonFacts, printCompat, printLines, type SystemdOptions, withSystemdOptions } from './options.ts';

export const verb: Verb = {
  examples: [
    'boot systemd blame',
    'boot systemd blame --json boot.tar.gz',
    'boot systemd blame --compat=252 boot.tar.gz',
  ],
  configure: (command) => withInputArguments(withSystemdOptions(command)),
  async run(args, options: SystemdOptions, deps) {
    const { behaviour } = compatOf(options, args);
    const record = await readBoot(options, deps);
    if (behaviour) return printCompat(compatSystemdBlame(record, behaviour), deps);
    if (record.units.length === 0) {
      throw new UserError('the inputs do not list the units of this boot', {
        code: 'boot/no-units',
        next: "add `systemctl show '*'` of the machine, or a bundle made by `headstart boot collect`, with -i",
      });
    }
    const units = slowestUnits(record);
    if (options.json) {
      return printJson(deps, 'SystemdBlame', { ...jsonFacts(record), units, notRun: unitsNotRun(record) });
    }
    if (units.length === 0) deps.stderr(`none of the ${record.units.length} units took any time to start\n`);
    printLines(deps, renderBlame(units));
  },
};
