// cli/prototype/connect-options.ts: which options does every prototype verb share, and which of them do not go together?
import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import { type AzureOptions, withAzureOptions } from '../compose/azure-options.ts';
import type { CaptureOptions } from '../compose/open-pools.ts';
import { SHARED_GROUPS } from '../help.ts';
import { type HomeOptions, withHomeOption } from '../pool/home.ts';
import { type GalleryNameOptions, withGalleryNameOption } from './gallery-option.ts';
import { type VmsOptions, vmsOption } from './vms-option.ts';

export interface ConnectOptions extends HomeOptions, CaptureOptions, AzureOptions, VmsOptions, GalleryNameOptions {
  kubeconfig?: string;
  context?: string;
  namespace?: string;
  helperImage?: string;
  /** Names, separated by commas. */
  helperPullSecret?: string;
  /** `--no-cluster`: the pool belongs to no Kubernetes cluster. */
  cluster?: false;
  /** true: each instance by its computer name. */
  overSsh?: string | true;
  /** Only some verbs have these two. Without a cluster they select the machine. */
  pool?: string;
  node?: string;
  /** Only `uninstall` has it. It needs access to every node of the pool. */
  unseal?: boolean;
  json?: boolean;
}

export function withConnectOptions(command: Command): Command {
  withHomeOption(withGalleryNameOption(command.addOption(vmsOption('where the pool is; qemu is this machine'))))
    .optionsGroup(SHARED_GROUPS.cluster)
    .option('--kubeconfig <FILE>', 'the kubeconfig; default: KUBECONFIG, ~/.kube/config, or the pod that this runs in')
    .option('--context <NAME>', 'the context of the kubeconfig')
    .option(
      '-n, --namespace <NAME>',
      'the namespace of the Lease, the saved model and the helper pod; use the same one in every run',
      'kube-system',
    )
    .option(
      '--no-cluster',
      'the pool belongs to no Kubernetes cluster; use lock files and tags instead of a Lease and annotations',
    )
    .optionsGroup('');
  return withAzureOptions(command).option('--json', 'print JSON instead of text');
}

/** For verbs that run a script on a node. */
export function withNodeAccessOptions(command: Command): Command {
  return command
    .optionsGroup(SHARED_GROUPS.cluster)
    .option(
      '--helper-image <IMAGE>',
      'the image of the short-lived pod that runs scripts on a node; needs nsenter; default: HEADSTART_HELPER_IMAGE',
    )
    .option(
      '--helper-pull-secret <NAMES>',
      'pull secrets of that pod, in its namespace, separated by commas; default: HEADSTART_HELPER_PULL_SECRETS',
    )
    .option(
      '--over-ssh [USER@HOST]',
      'with --no-cluster on Azure: reach the donor over ssh as root, or as a user with sudo; without a value: by its computer name',
    )
    .optionsGroup('');
}

/** Refuses options that would have no effect, before anything is touched. */
export function refuseUselessOptions({ vms, cluster, overSsh, unseal, scrub, cloudInit }: ConnectOptions): void {
  const isLocal = vms === 'qemu';
  const refuse = (message: string, next: string) => {
    throw new UserError(message, { code: 'prototype/option-misfit', kept: 'Nothing was touched.', next });
  };
  if (!isLocal && scrub === false)
    refuse('--no-scrub is only for pools of this machine: on Azure the copy is never scrubbed', 'leave --no-scrub out');
  if (!isLocal && cloudInit !== undefined)
    refuse(
      '--cloud-init is only for pools of this machine: Azure provisions every instance with cloud-init',
      'leave --cloud-init out',
    );
  if (overSsh !== undefined && (isLocal || cluster !== false)) {
    const instead = isLocal ? 'scripts run through the guest agent' : 'scripts run in a pod';
    refuse(`--over-ssh requires --no-cluster on Azure; here ${instead}`, 'leave --over-ssh out');
  }
  if (unseal && !isLocal && cluster === false && overSsh === undefined)
    refuse(
      '--unseal runs a script on every node of the pool; without a cluster it needs ssh',
      'add --over-ssh, or leave --unseal out',
    );
  if (unseal && typeof overSsh === 'string')
    refuse(
      `--unseal needs access to every node of the pool, but --over-ssh ${overSsh} names one host`,
      'give --over-ssh without a host',
    );
}
