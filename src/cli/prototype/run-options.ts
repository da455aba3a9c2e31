// cli/prototype/run-options.ts: what may be said about a run, and the intent it makes.
import { type Command, InvalidArgumentError, Option } from 'commander';
import { versionOfDay } from '../../base/clock.ts';
import { PROVEN_MS } from '../../prototype/candidates.ts';
import type { Intent } from '../../prototype/scene.ts';
import { timeSpan } from '../pool/arguments.ts';
import type { Edges } from '../verb.ts';
import { type ConnectOptions, withConnectOptions } from './connect.ts';
import { nodeName } from './node-name.ts';
import type { LogLevel } from './progress.ts';

export interface RunOptions extends ConnectOptions {
  /** ms */
  readyFor: number;
  imageHistory: number;
  replicas: number;
  drainGracePeriod: number;
  drainForce?: boolean;
  deallocate?: boolean;
  allowUnpatched?: boolean;
  allowManaged?: boolean;
  withoutWayBack?: boolean;
  customData?: string;
  logLevel: LogLevel;
}

export function withRunOptions(command: Command): Command {
  return withConnectOptions(command)
    .option('--node <NAME>', 'the donor', nodeName)
    .option(
      '--pool <NAME>',
      'instead of --node: the best node of this pool, or the one that an unfinished run took; with --no-cluster on Azure: the scale set',
    )
    .addOption(readyForOption())
    .option('--no-scrub', "only on this machine: leave the donor's identity on the copy to the clone check")
    .addOption(
      new Option('--cloud-init <on|off>', 'only on this machine: whether clones run it').choices(['on', 'off']),
    )
    .option('--image-history <N>', 'versions to keep; what is in use is never deleted', atLeast(1), 3)
    .option('--replicas <N>', 'replicas of the version; one per 20 instances created at once', atLeast(1), 3)
    .option('--drain-grace-period <SECONDS>', "for each pod to end; -1 = the pod's own", atLeast(-1), 300)
    .option('--drain-force', 'also pods that nothing would bring back, and past the grace period')
    .option('--deallocate', 'give the instance its place up while it is off: it may not get one back')
    .option('--allow-unpatched', 'take a donor that has a reboot pending or is older than its pool')
    .option('--allow-managed', 'change a pool that AKS or Cluster API manages, which may put its own recipe back')
    .option('--custom-data <FILE>', "the pool's original bootstrap, for the way back; default: as found on the donor")
    .option('--without-way-back', 'go on although the original bootstrap is not known')
    .option('--log-level <LEVEL>', 'DEBUG, INFO, WARNING, ERROR or CRITICAL', logLevel, 'INFO');
}

export function intentOf(nodeName: string, options: RunOptions, gallery: string, edges: Edges): Intent {
  return {
    nodeName,
    gallery,
    version: versionOfDay(edges.nowUs() / 1000),
    replicas: options.replicas,
    imageHistory: options.imageHistory,
    graceSeconds: options.drainGracePeriod < 0 ? undefined : options.drainGracePeriod,
    isDrainForced: options.drainForce === true,
    isReleased: options.deallocate === true,
    mayBeManaged: options.allowManaged === true,
  };
}

/** For whoever lets a donor be chosen. */
export function readyForOption(): Option {
  return new Option('--ready-for <SPAN>', 'of a donor that is chosen: how long it has to have been Ready')
    .argParser(timeSpan)
    .default(PROVEN_MS, '1h');
}

function atLeast(least: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= least) return value;
    throw new InvalidArgumentError(`"${text}" is not a whole number of at least ${least}.`);
  };
}

export function logLevel(text: string): LogLevel {
  const level = text.toUpperCase();
  if (level === 'VERBOSE') return 'DEBUG';
  if (level === 'DEBUG' || level === 'INFO' || level === 'WARNING' || level === 'ERROR' || level === 'CRITICAL')
    return level;
  throw new InvalidArgumentError(`"${text}" is not one of DEBUG, INFO, WARNING, ERROR, CRITICAL.`);
}
