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
  /** `--no-cluster`: the pool belongs to no Kubernetes cluster. */
  cluster?: false;
  /** true: each instance by its computer name. */
  overSsh?: string | true;
  /** Of the verbs that have them; without a cluster they say which machine is meant. */
  pool?: string;
  node?: string;
  /** Of `uninstall`: it reaches every node of the pool. */
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

/** Of the verbs that run a script on a node. */
export function withNodeAccessOptions(command: Command): Command {
  return command
    .optionsGroup(SHARED_GROUPS.cluster)
    .option(
      '--helper-image <IMAGE>',
      'the image of the short-lived pod that runs scripts on a node; needs nsenter; default: HEADSTART_HELPER_IMAGE',
    )
    .option(
      '--over-ssh [USER@HOST]',
      'with --no-cluster on Azure: reach the donor over ssh as root, or as a user with sudo; without a value: by its computer name',
    )
    .optionsGroup('');
}

/** An option that would change nothing is a misunderstanding, and better cleared up before anything is touched. */
export function refuseMisfits({ vms, cluster, overSsh, unseal, scrub, cloudInit }: ConnectOptions): void {
  const isLocal = vms === 'qemu';
  const refuse = (message: string, next: string) => {
    throw new UserError(message, { code: 'prototype/option-misfit', kept: 'Nothing was touched.', next });
  };
  if (!isLocal && scrub === false)
    refuse('on Azure the copy is not scrubbed: nothing there can edit a captured disk', 'leave --no-scrub out');
  if (!isLocal && cloudInit !== undefined)
    refuse(
      '--cloud-init is for pools of this machine: Azure provisions every instance through it, and nothing there can edit a captured disk',
      'leave --cloud-init out',
    );
  if (overSsh !== undefined && (isLocal || cluster !== false)) {
    const instead = isLocal ? "the guest's agent is the way in" : 'a pod is the way in';
    refuse(`--over-ssh goes with --no-cluster on Azure; here ${instead}`, 'leave --over-ssh out');
  }
  if (unseal && !isLocal && cluster === false && overSsh === undefined)
    refuse(
      '--unseal runs a script on every node of the pool, and without a cluster there is no way in',
      'add --over-ssh, or leave --unseal out',
    );
  if (unseal && typeof overSsh === 'string')
    refuse(
      `--unseal reaches every node of the pool, and --over-ssh ${overSsh} only one`,
      'give --over-ssh without a host',
    );
}
