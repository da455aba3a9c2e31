// cli/standby/vms-option.ts: which pools does a standby verb work on: those of this machine, or Azure's scale sets?
import { type Command, Option } from 'commander';
import { type AzureOptions, withAzureOptions } from '../compose/azure-options.ts';
import { type PoolOptions, withPoolOptions } from '../compose/open-pools.ts';
import { SHARED_GROUPS } from '../help.ts';
import { chosenVms, type VmsOptions } from '../prototype/vms-option.ts';
import type { CliDeps } from '../verb.ts';

export interface StandbyOptions extends PoolOptions, AzureOptions, VmsOptions {}

export function withStandbyOptions(command: Command): Command {
  const where = new Option('--vms <KIND>', 'where the pool is; default: HEADSTART_VMS, or qemu, which is this machine')
    .choices(['azure', 'qemu'])
    .helpGroup(SHARED_GROUPS.local);
  return withAzureOptions(withPoolOptions(command).addOption(where));
}

/** Unlike prototypes, standby nodes were made for this machine first. */
export function isOnAzure(options: VmsOptions, env: CliDeps['env']): boolean {
  return (options.vms !== undefined || Boolean(env.HEADSTART_VMS)) && chosenVms(options, env) === 'azure';
}
