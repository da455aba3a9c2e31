// cli/prototype/run.ts: `headstart prototype run --node NODE | --pool POOL`: captures a donor and points its pool at the new version. Run again, it resumes.

import { systemClock } from '../../base/clock.ts';
import { holderName } from '../../cluster/holder.ts';
import { findDonor } from '../../prototype/donor/find-donor.ts';
import { reportSearch } from '../../prototype/run/report-run.ts';
import { runOnSite } from '../../prototype/run/run-on-site.ts';
import { type ConnectSite, connectSite } from '../compose/connect-site.ts';
import { printJsonLine } from '../output/json.ts';
import { printable } from '../output/table.ts';
import type { Verb } from '../verb.ts';
import { donorDeps } from './donor-deps.ts';
import { ownNodeNames } from './own-node.ts';
import { printRunPlan } from './plan.ts';
import { donorTerms, intentOf, namedDonor, type PrototypeRunOptions, withRunOptions } from './run-options.ts';
import { showRun } from './run-progress.ts';

interface Options extends PrototypeRunOptions {
  dryRun?: boolean;
  inspect?: boolean;
}

export const verb = runVerb(connectSite);

export function runVerb(connect: ConnectSite): Verb {
  return {
    examples: [
      'prototype run --node k8s-pool1-12345678-vmss000000',
      'prototype run --pool k8s-pool1-12345678-vmss --dry-run --inspect',
    ],
    configure: (command) =>
      withRunOptions(command)
        .option('--dry-run', 'print the plan, and change nothing')
        .option(
          '--inspect',
          'with --dry-run: also inspect the donor from inside, through a short-lived privileged pod',
        ),
    async run(_args, options: Options, deps) {
      const named = namedDonor(options);
      const terms = donorTerms(options);
      const searchDeps = donorDeps(deps);
      const site = await connect(options, deps);
      const search = () => findDonor(site, { named, ...terms, ownNames: ownNodeNames(deps.env) }, searchDeps);
      if (options.dryRun) return printRunPlan(site, await search(), options, deps);
      const restoreSignal = deps.secondSignal?.();
      const donor = await reportSearch(site, named, { clock: systemClock, restoreSignal }, search);
      const { name, ref } = donor;
      const order = {
        intentFor: (nodeName: string) => intentOf(nodeName, options, site.gallery, deps),
        terms,
        runId: holderName('run'),
      };
      const result = await runOnSite(site, donor, order, {
        ...searchDeps,
        clock: systemClock,
        restoreSignal,
        onEvent: showRun(deps, options),
      });
      if (options.json) return printJsonLine(deps, 'PrototypeRun', { node: name, ...result });
      for (const warning of result.warnings) deps.stderr(`warning: ${printable(warning)}\n`);
      const what = result.steps.length === 0 ? 'nothing to do' : 'done';
      deps.stdout(
        `${what}: new instances of ${ref.pool.name} start from version ${result.version}, without bootstrap\n`,
      );
    },
  };
}
