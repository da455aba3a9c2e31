// cli/prototype/vms-option.ts: which VMs does a verb work on: Azure's, or those on this machine?
import { Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import { SHARED_GROUPS } from '../help.ts';
import type { CliDeps } from '../verb.ts';

const VMS = ['azure', 'qemu'] as const;
export type VmsKind = (typeof VMS)[number];

export interface VmsOptions {
  vms?: VmsKind;
}

export function vmsOption(where: string): Option {
  return new Option('--vms <KIND>', `${where}; default: HEADSTART_VMS, or azure`)
    .choices(VMS)
    .helpGroup(SHARED_GROUPS.local);
}

export function chosenVms(options: VmsOptions, { HEADSTART_VMS: named }: CliDeps['env']): VmsKind {
  if (options.vms) return options.vms;
  const vms = named ? VMS.find((kind) => kind === named) : 'azure';
  if (vms) return vms;
  throw new UserError(`HEADSTART_VMS is ${JSON.stringify(named)}, not one of ${VMS.join(', ')}`, {
    code: 'prototype/bad-vms',
    next: 'set it to one of them, or add --vms',
  });
}
