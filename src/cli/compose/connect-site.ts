// cli/compose/connect-site.ts: which VMs and which cluster do the options of a prototype verb name?
import { withoutDeadHolders } from '../../cluster/holder.ts';
import type { Site } from '../../prototype/site.ts';
import { type ConnectOptions, refuseUselessOptions } from '../prototype/connect-options.ts';
import { chosenVms } from '../prototype/vms-option.ts';
import type { CliDeps } from '../verb.ts';
import { refuseWithoutAzure } from './azure-not-configured.ts';

/** A parameter of verbs, so that tests can pass a fake. */
export type ConnectSite = (options: ConnectOptions, deps: CliDeps) => Promise<Site>;

export const connectSite: ConnectSite = async (options, deps) => {
  const vms = chosenVms(options, deps.env);
  refuseUselessOptions({ ...options, vms });
  if (vms === 'azure') refuseWithoutAzure(options, deps);
  // Loaded only when needed: with the files of local clusters, connect-qemu.ts takes as long to load as the rest of --help.
  const connect =
    vms === 'qemu'
      ? (await import('./connect-qemu.ts')).connectQemu
      : (await import('./connect-azure.ts')).connectAzure;
  const site = await connect(options, deps);
  return { ...site, cluster: withoutDeadHolders(site.cluster) };
};
