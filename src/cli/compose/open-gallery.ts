// cli/compose/open-gallery.ts: opens the gallery that image verbs read and publish to: on this machine, or on Azure.
import type { TokenCredential } from '@azure/identity';
import type { Command } from 'commander';
import { type Clock, systemClock } from '../../base/clock.ts';
import { runCommand } from '../../base/command.ts';
import type { AzureProvider } from '../../vms/azure/azure-provider.ts';
import type { AzureSettings } from '../../vms/azure/connect/settings.ts';
import type { VmProvider } from '../../vms/provider.ts';
import type { PublishDeps } from '../../vms/qemu/images/make-version.ts';
import { type HomeOptions, homeFolder, withHomeOption } from '../pool/home.ts';
import { chosenVms, type VmsOptions, vmsOption } from '../prototype/vms-option.ts';
import type { CliDeps } from '../verb.ts';
import { refuseWithoutAzure } from './azure-not-configured.ts';
import { type AzureOptions, withAzureOptions } from './azure-options.ts';
import { openAzure } from './open-azure.ts';
import { openPools } from './open-pools.ts';

export interface GalleryOptions extends HomeOptions, AzureOptions, VmsOptions {
  gallery: string;
  json?: boolean;
}

export type OpenedGallery =
  | { kind: 'qemu'; name: string; provider: VmProvider; deps: PublishDeps }
  | {
      kind: 'azure';
      name: string;
      provider: AzureProvider;
      clock: Clock;
      settings: AzureSettings;
      credential: TokenCredential;
    };

/** A parameter of verbs, so that tests can pass a fake. */
export type OpenGallery = (options: GalleryOptions, deps: CliDeps) => Promise<OpenedGallery>;

/** The gallery that `pool create --image` uses by default. */
const DEFAULT_GALLERY = 'headstart';

export function withGalleryOptions(command: Command): Command {
  withHomeOption(command.addOption(vmsOption('where the gallery is; qemu is this machine'))).option(
    '--gallery <NAME>',
    'the name of the gallery',
    DEFAULT_GALLERY,
  );
  return withAzureOptions(command).option('--json', 'print JSON instead of text');
}

export const openGallery: OpenGallery = async (options, deps) => {
  const { gallery: name } = options;
  if (chosenVms(options, deps.env) === 'qemu') {
    const provider = await openPools(options, deps);
    const home = homeFolder(options, deps.env);
    return { kind: 'qemu', name, provider, deps: { home, clock: systemClock, run: runCommand } };
  }
  refuseWithoutAzure(options, deps);
  return { kind: 'azure', name, clock: systemClock, ...(await openAzure(options, deps)) };
};
