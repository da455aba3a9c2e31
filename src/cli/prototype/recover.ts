// cli/prototype/recover.ts: `headstart prototype recover --node NODE | --pool POOL`: returns donors to service after a run that was not resumed.

import { type Clock, systemClock } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import { holderName } from '../../cluster/holder.ts';
import { findOwnPool } from '../../prototype/donor/find-pool.ts';
import { type LocatedDonor, listOutOfService, locateDonor } from '../../prototype/donor/out-of-service.ts';
import { type EngineDeps, recoverDonor } from '../../prototype/run/engine.ts';
import { recoveryIntent } from '../../prototype/run/scene.ts';
import type { Site } from '../../prototype/site.ts';
import { type ConnectSite, connectSite } from '../compose/connect-site.ts';
import { printJsonLine } from '../output/json.ts';
import type { CliDeps, Verb } from '../verb.ts';
import { type ConnectOptions, withConnectOptions, withNodeAccessOptions } from './connect-options.ts';
import { nodeName } from './node-name.ts';
import { logLevelOption } from './run-options.ts';
import { type LogLevel, showRun } from './run-progress.ts';

interface Options extends ConnectOptions {
  logLevel: LogLevel;
}

export const verb = recoverVerb(connectSite);

export function recoverVerb(connect: ConnectSite, clock: Clock = systemClock): Verb {
  return {
    examples: [
      'prototype recover --node k8s-pool1-12345678-vmss000000',
      'prototype recover --pool k8s-pool1-12345678-vmss --json',
    ],
    configure: (command) =>
      withNodeAccessOptions(withConnectOptions(command))
        .option('--node <NAME>', 'the donor to return to service; its Node object may be gone', nodeName)
        .option('--pool <NAME>', 'return every donor of this pool to service; with --node: the pool of that donor')
        .addOption(logLevelOption()),
    async run(_args, options: Options, deps) {
      requireTarget(options);
      const signal = deps.signal();
      const site = await connect(options, deps);
      const engine: EngineDeps = {
        ...site.provider,
        cluster: site.cluster,
        clock,
        signal,
        seal: async () => undefined, // recovery seals nothing
        onEvent: showRun(deps, options),
      };
      const donors = await donorsToRecover(site, options, signal);
      if (donors.length === 0) reportNone(options, deps);
      const failures: unknown[] = [];
      for (const { name, ref } of donors) {
        try {
          const intent = recoveryIntent(name, site.gallery);
          report(name, await recoverDonor(intent, ref, holderName('recover'), engine), options, deps);
        } catch (error) {
          failures.push(error); // the other donors come home all the same
          if (signal.aborted) break;
        }
      }
      if (failures.length > 0) throw failures[0];
    },
  };
}

function requireTarget({ node, pool }: Options): void {
  if (node !== undefined || pool !== undefined) return;
  throw new UserError('no donor: neither --node nor --pool is given', {
    code: 'prototype/no-donor-named',
    kept: 'Nothing was touched.',
    next: 'name a donor with --node, or recover every donor of a pool with --pool',
  });
}

async function donorsToRecover(site: Site, { node, pool }: Options, signal: AbortSignal): Promise<LocatedDonor[]> {
  const within = pool === undefined ? undefined : await findOwnPool(site, pool, signal);
  if (node !== undefined) return [await locateDonor(site, node, signal, within)];
  return within ? listOutOfService(site, within, signal) : [];
}

function reportNone({ json, pool }: Options, deps: CliDeps): void {
  if (json) printJsonLine(deps, 'PrototypeRecover', { pool, steps: [] });
  else deps.stdout(`no donor of ${pool} is out of service: nothing to do\n`);
}

function report(name: string, steps: string[], { json }: Options, deps: CliDeps): void {
  const state = steps.length === 0 ? 'is in service: nothing to do' : 'is back in service, in its original state';
  if (json) printJsonLine(deps, 'PrototypeRecover', { node: name, steps });
  else deps.stdout(`${name} ${state}\n`);
}
