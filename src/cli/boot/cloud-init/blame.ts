// cli/boot/cloud-init/blame.ts: `headstart boot cloud-init blame`: lists modules by the time they took.
import { blameOf, blameText } from '../../../boot/compat/cloud-init/blame.ts';
import { compatCloudInitBlame } from '../../../boot/compat/cloud-init/exact/compat-records.ts';
import { stepJson } from '../../../boot/compat/cloud-init/steps-json.ts';
import type { Verb } from '../../verb.ts';
import {
  type CloudInitOptions,
  readCloudInit,
  runCompat,
  withCloudInitOptions,
  writeAnswer,
  writeJsonAnswer,
} from './options.ts';

export const verb: Verb = {
  examples: ['boot cloud-init blame', 'boot cloud-init blame bundle.tar.gz --json'],
  configure(command) {
    withCloudInitOptions(command);
  },
  async run(_args, options: CloudInitOptions, deps) {
    if (options.compat !== undefined) return runCompat(options, deps, compatCloudInitBlame);
    const { boots, notes } = await readCloudInit(options, deps);
    if (options.json) {
      const body = {
        boots: [...boots()].map((boot) => ({ blame: blameOf(boot).map(({ step }) => stepJson(step)) })),
        notes,
      };
      writeJsonAnswer(options, deps, 'CloudInitBlame', body);
    } else {
      writeAnswer(options, deps, blameText(boots()));
    }
    return 0;
  },
};
