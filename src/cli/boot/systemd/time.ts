// cli/boot/systemd/time.ts: `headstart boot systemd time`: shows the time spent in firmware, loader, kernel, initrd and userspace.
import { UserError } from '../../../base/errors.ts';
import { compatTime } from '../../../boot/compat/systemd/exact/time.ts';
import { bootTime, renderTime } from '../../../boot/compat/systemd/time.ts';
import { printJson } from '../../output/json.ts';
import type { Verb } from '../../verb.ts';
import { isKernelBoot, readBoot, withInputArguments } from '../read-boot.ts';
import { compatOf, jsonFacts, printCompat, printLines, type SystemdOptions, withSystemdOptions } from './options.ts';

export const verb: Verb = {
  examples: ['boot systemd time', 'boot systemd time --compat=252 boot.tar.gz'],
  configure: (command) => withInputArguments(withSystemdOptions(command)),
  async run(args, options: SystemdOptions, deps) {
    const { behaviour } = compatOf(options, args);
    const record = await readBoot(options, deps, isKernelBoot);
    if (behaviour) return printCompat(compatTime(record, behaviour), deps);
    const time = bootTime(record);
    if (!time) {
      throw new UserError('the inputs do not say how long the phases of this boot took', {
        code: 'boot/no-phases',
        next: 'add `systemctl show` of the manager, or a journal of the same boot, with -i',
      });
    }
    if (options.json) return printJson(deps, 'SystemdTime', { ...jsonFacts(record), ...time });
    printLines(deps, renderTime(time));
  },
};
