// cli/compose/connect-site.ts: the site that the options of a prototype verb name: which VMs, which cluster?
import { withoutDeadHolders } from '../../cluster/holder.ts';
import type { Site } from '../../prototype/site.ts';
import { type ConnectOptions, refuseMisfits } from '../prototype/connect-options.ts';
import { chosenVms } from '../prototype/vms-option.ts';
import type { Edges } from '../verb.ts';
import { refuseWithoutAzure } from './azure-not-configured.ts';

/** Verbs are given one, so that tests give them theirs. */
export type ConnectSite = (options: ConnectOptions, edges: Edges) => Promise<Site>;

export const connectSite: ConnectSite = async (options, edges) => {
  const vms = chosenVms(options, edges.env);
  refuseMisfits({ ...options, vms });
  if (vms === 'azure') refuseWithoutAzure(options, edges);
  // Loaded when needed: with the files of local clusters it takes as long as the rest of --help.
  const connect =
    vms === 'qemu'
      ? (await import('./connect-qemu.ts')).connectQemu
      : (await import('./connect-azure.ts')).connectAzure;
  const site = await connect(options, edges);
  return { ...site, cluster: withoutDeadHolders(site.cluster) };
};
