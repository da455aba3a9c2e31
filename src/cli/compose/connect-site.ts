// cli/compose/connect-site.ts: the site that the options of a prototype verb name: which VMs, which cluster?
import { withoutDeadHolders } from '../../cluster/holder.ts';
import type { Site } from '../../prototype/site.ts';
import { type ConnectOptions, refuseMisfits } from '../prototype/connect-options.ts';
import { chosenVms } from '../prototype/vms-option.ts';
import type { CliDeps } from '../verb.ts';
import { refuseWithoutAzure } from './azure-not-configured.ts';

/** Verbs are given one, so that tests give them theirs. */
export type ConnectSite = (options: ConnectOptions, deps: CliDeps) => Promise<Site>;

export const connectSite: ConnectSite = async (options, deps) => {
  const vms = chosenVms(options, deps.env);
  refuseMisfits({ ...options, vms });
  if (vms === 'azure') refuseWithoutAzure(options, deps);
  // Loaded when needed: with the files of local clusters it takes as long as the rest of --help.
  const connect =
    vms === 'qemu'
      ? (await import('./connect-qemu.ts')).connectQemu
      : (await import('./connect-azure.ts')).connectAzure;
  const site = await connect(options, deps);
  return { ...site, cluster: withoutDeadHolders(site.cluster) };
};
