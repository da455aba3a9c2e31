// cli/prototype/recover.ts: `headstart prototype recover --node NODE`: returns a donor to service after a run that was not resumed.

import { systemClock } from '../../base/clock.ts';
import { holderName } from '../../cluster/holder.ts';
import { locateNode } from '../../prototype/donor/locate-nodes.ts';
import { recoverDonor } from '../../prototype/run/engine.ts';
import { recoveryIntent } from '../../prototype/run/scene.ts';
import { type ConnectSite, connectSite } from '../compose/connect-site.ts';
import { printJsonLine } from '../output/json.ts';
import type { Verb } from '../verb.ts';
import { type ConnectOptions, withConnectOptions, withNodeAccessOptions } from './connect-options.ts';
import { nodeName } from './node-name.ts';
import { logLevelOption } from './run-options.ts';
import { type LogLevel, showRun } from './run-progress.ts';

interface Options extends ConnectOptions {
  node: string;
  logLevel: LogLevel;
}

export const verb = recoverVerb(connectSite);

export function recoverVerb(connect: ConnectSite): Verb {
  return {
    examples: [
      'prototype recover --node k8s-pool1-12345678-vmss000000',
      'prototype recover --node pool1-000003 --json',
    ],
    configure: (command) =>
      withNodeAccessOptions(withConnectOptions(command))
        .requiredOption('--node <NAME>', 'the donor to return to service', nodeName)
        .option('--pool <NAME>', 'with --no-cluster on Azure: the scale set of the donor')
        .addOption(logLevelOption()),
    async run(_args, options: Options, deps) {
      const signal = deps.signal();
      const site = await connect(options, deps);
      const { ref } = await locateNode(site, options.node, signal);
      const steps = await recoverDonor(recoveryIntent(options.node, site.gallery), ref, holderName('recover'), {
        ...site.provider,
        cluster: site.cluster,
        clock: systemClock,
        signal,
        seal: async () => undefined, // recovery seals nothing
        onEvent: showRun(deps, options),
      });
      if (options.json) return printJsonLine(deps, 'PrototypeRecover', { node: options.node, steps });
      const state = steps.length === 0 ? 'is in service: nothing to do' : 'is back in service, in its original state';
      deps.stdout(`${options.node} ${state}\n`);
    },
  };
}
