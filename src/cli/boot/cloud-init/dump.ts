// cli/boot/cloud-init/dump.ts: `headstart boot cloud-init dump`: prints the events of a log as JSON.

import { dumpText } from '../../../boot/compat/cloud-init/dump.ts';
import { compatDump } from '../../../boot/compat/cloud-init/exact/compat-records.ts';
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
  examples: ['boot cloud-init dump', 'boot cloud-init dump cloud-init.log -o events.json'],
  configure(command) {
    withCloudInitOptions(command);
  },
  async run(_args, options: CloudInitOptions, deps) {
    if (options.compat !== undefined) return runCompat(options, deps, compatDump);
    const { events, notes } = await readCloudInit(options, deps);
    if (options.json) writeJsonAnswer(options, deps, 'CloudInitDump', { events, notes });
    else writeAnswer(options, deps, dumpText(events));
    return 0;
  },
};
