// cli/prototype/run-options.ts: which options does a run take, and which donor, terms and intent do they describe?
import { type Command, InvalidArgumentError, Option } from 'commander';
import { versionOfDay } from '../../base/clock.ts';
import { UserError } from '../../base/errors.ts';
import type { DonorTerms } from '../../prototype/donor/approve-donor.ts';
import { PROVEN_MS } from '../../prototype/donor/candidates.ts';
import type { DonorRequest, NamedDonor } from '../../prototype/donor/find-donor.ts';
import { MOST_REPLICAS } from '../../prototype/run/limits.ts';
import type { Intent } from '../../prototype/run/scene.ts';
import { SHARED_GROUPS } from '../help.ts';
import { timeSpan, wholeNumber } from '../pool/arguments.ts';
import type { CliDeps } from '../verb.ts';
import { type ConnectOptions, withConnectOptions, withNodeAccessOptions } from './connect-options.ts';
import { readCustomData } from './custom-data.ts';
import { nodeName } from './node-name.ts';
import { PROTECTED_SETTINGS_HELP, readProtectedSettings } from './protected-settings.ts';
import type { LogLevel } from './run-progress.ts';

export interface PrototypeRunOptions extends ConnectOptions {
  /** ms */
  readyFor: number;
  imageHistory: number;
  replicas: number;
  drainGracePeriod: number;
  drainForce?: boolean;
  deallocate?: boolean;
  allowUnpatched?: boolean;
  allowUnfit?: boolean;
  allowManaged?: boolean;
  withoutWayBack?: boolean;
  customData?: string;
  protectedSettings?: string;
  logLevel: LogLevel;
}

export function withRunOptions(command: Command): Command {
  return withNodeAccessOptions(withConnectOptions(command))
    .option('--node <NAME>', 'the donor; give either --node or --pool', nodeName)
    .option(
      '--pool <NAME>',
      'choose the best node of this pool, or the donor of an unfinished run; with --no-cluster on Azure: the scale set',
    )
    .optionsGroup('Donor:')
    .addOption(readyForOption())
    .option(
      '--allow-unpatched',
      'accept a donor that needs a reboot or updates, or has an older kernel or OS image than its pool',
    )
    .option(
      '--allow-unfit',
      'accept a donor that reports pressure, is a control plane node, or comes from a bad version',
    )
    .option('--allow-managed', 'change a pool that AKS or Cluster API manages; the manager may reset the model')
    .optionsGroup('Drain and stop:')
    .option(
      '--drain-grace-period <SECONDS>',
      "how long each pod may take to terminate; -1: the pod's own grace period",
      atLeast(-1),
      300,
    )
    .option('--drain-force', 'also delete pods without a controller, and pods that exceed the grace period')
    .option('--deallocate', 'deallocate instead of stopping; the instance may fail to start again for lack of capacity')
    .optionsGroup('New version:')
    .option('--image-history <N>', 'how many versions to keep; versions in use are never deleted', atLeast(1), 3)
    .option(
      '--replicas <N>',
      'replicas of the version, 1 to 100; use one per 20 instances that start at once',
      wholeNumber(1, MOST_REPLICAS),
      3,
    )
    .option('--no-scrub', "on this machine: keep the donor's identity on the copy; the clone check replaces it at boot")
    .addOption(
      new Option('--cloud-init <on|off>', 'on this machine: whether clones run cloud-init').choices(['on', 'off']),
    )
    .optionsGroup('Rollback:')
    .option('--custom-data <FILE>', "the pool's original bootstrap; default: as found on the donor")
    .option('--protected-settings <FILE>', PROTECTED_SETTINGS_HELP)
    .option('--without-way-back', 'continue even if the original model is not fully known and cannot be restored')
    .optionsGroup('')
    .addOption(logLevelOption());
}

/** Called before anything is connected, so that a mistake in the options is reported first. */
export function namedDonor({ node, pool, cluster }: PrototypeRunOptions): NamedDonor {
  // Without a cluster the pool does not follow from the node.
  const isExclusive = cluster !== false;
  if (node !== undefined && pool !== undefined && isExclusive) {
    throw new UserError('--node and --pool exclude each other: --node names the donor, --pool chooses it', {
      code: 'prototype/two-donors',
      kept: 'Nothing was touched.',
      next: 'leave out one of them',
    });
  }
  if (node !== undefined) return { node };
  if (pool !== undefined) return { pool };
  throw new UserError('no donor: neither --node nor --pool is given', {
    code: 'prototype/no-donor-named',
    kept: 'Nothing was touched.',
    next: 'name a node with --node, or let --pool choose the best node of a pool',
  });
}

export function donorTerms(options: PrototypeRunOptions): DonorTerms & Pick<DonorRequest, 'provenMs' | 'mayBeUnfit'> {
  const { allowUnpatched, allowUnfit, withoutWayBack, customData, protectedSettings, readyFor } = options;
  return {
    mayBeUnpatched: allowUnpatched === true,
    mayBeUnfit: allowUnfit === true,
    mayLoseBootstrap: withoutWayBack === true,
    provenMs: readyFor,
    ...(customData !== undefined && { readBootstrap: () => readCustomData(customData) }),
    ...(protectedSettings !== undefined && {
      readProtectedSettings: () => readProtectedSettings(protectedSettings),
    }),
  };
}

export function intentOf(nodeName: string, options: PrototypeRunOptions, gallery: string, deps: CliDeps): Intent {
  return {
    nodeName,
    gallery,
    version: versionOfDay(deps.nowUs() / 1000),
    replicas: options.replicas,
    imageHistory: options.imageHistory,
    graceSeconds: options.drainGracePeriod < 0 ? undefined : options.drainGracePeriod,
    isDrainForced: options.drainForce === true,
    isReleased: options.deallocate === true,
    mayBeManaged: options.allowManaged === true,
    isDonorChosen: options.node === undefined,
    mayBeUnfit: options.allowUnfit === true,
  };
}

/** For verbs that choose a donor. */
export function readyForOption(): Option {
  return new Option('--ready-for <SPAN>', 'how long a node has to be Ready before it can be the donor; 0: not at all')
    .argParser((text) => (/^0[a-z]*$/.test(text) ? 0 : timeSpan(text)))
    .default(PROVEN_MS, '1h');
}

function atLeast(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`"${text}" is not a whole number of at least ${least}.`);
  };
}

export function logLevelOption(): Option {
  return new Option('--log-level <LEVEL>', 'DEBUG, INFO, WARNING, ERROR or CRITICAL')
    .argParser(logLevel)
    .default('INFO')
    .helpGroup(SHARED_GROUPS.output);
}

function logLevel(text: string): LogLevel {
  const level = text.toUpperCase();
  if (level === 'VERBOSE') return 'DEBUG';
  if (level === 'DEBUG' || level === 'INFO' || level === 'WARNING' || level === 'ERROR' || level === 'CRITICAL')
    return level;
  throw new InvalidArgumentError(`"${text}" is not one of DEBUG, INFO, WARNING, ERROR, CRITICAL.`);
}
