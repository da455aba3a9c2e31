// cli/boot/cloud-init/show.ts: `headstart boot cloud-init show`: shows stages and modules in the order they ran.
import { compatShow, DEFAULT_FORMAT } from '../../../boot/compat/cloud-init/exact/compat-records.ts';
import { showText, stageCoverageUs } from '../../../boot/compat/cloud-init/show.ts';
import { bootJson } from '../../../boot/compat/cloud-init/steps-json.ts';
import type { Verb } from '../../verb.ts';
import {
  type CloudInitOptions,
  readCloudInit,
  runCompat,
  withCloudInitOptions,
  writeAnswer,
  writeJsonAnswer,
} from './options.ts';

interface Options extends CloudInitOptions {
  format?: string;
}

export const verb: Verb = {
  examples: ['boot cloud-init show', 'boot cloud-init show cloud-init.log --compat=22.4'],
  configure(command) {
    withCloudInitOptions(command).option(
      '-f, --format <FORMAT>',
      'the format of a line: %d delta, %D description, %E elapsed, %e type, %I indent, %l level, %n name, %o origin, %r result, %t timestamp',
    );
  },
  async run(_args, options: Options, deps) {
    if (options.compat !== undefined) {
      return runCompat(options, deps, (events, version) =>
        compatShow(events, options.format ?? DEFAULT_FORMAT, version),
      );
    }
    const { boots, notes } = await readCloudInit(options, deps);
    if (options.json) {
      const body = {
        boots: [...boots()].map((boot) => ({ ...bootJson(boot), totalUs: stageCoverageUs(boot) })),
        notes,
      };
      writeJsonAnswer(options, deps, 'CloudInitShow', body);
    } else {
      writeAnswer(options, deps, showText(boots(), options.format));
    }
    return 0;
  },
};
