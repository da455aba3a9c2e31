// cli/boot/cloud-init/boot.ts: `headstart boot cloud-init boot`: when did the kernel and cloud-init start?
import { UserError } from '../../../base/errors.ts';
import { betweenUs, bootTimesText } from '../../../boot/compat/cloud-init/boot-text.ts';
import { bootTimes, type CloudInitBootTimes, logOf } from '../../../boot/compat/cloud-init/boot-times.ts';
import { compatBoot } from '../../../boot/compat/cloud-init/exact/compat-boot.ts';
import { type CompatVersion, compatVersion } from '../../../boot/compat/cloud-init/exact/compat-version.ts';
import { InputLimits } from '../../../boot/load/input-limits.ts';
import { spooled } from '../../../boot/load/spool.ts';
import type { BootRecord } from '../../../boot/model/record.ts';
import type { CliDeps, Verb } from '../../verb.ts';
import { isKernelBoot, readBoot, stdinOf, WHICH_BOOT, withSentStdin } from '../read-boot.ts';
import {
  type CloudInitOptions,
  pathsOf,
  readCloudInit,
  runCompat,
  withCloudInitOptions,
  writeAnswer,
  writeJsonAnswer,
} from './options.ts';

interface Options extends CloudInitOptions {
  boot?: string;
}

export const verb: Verb = {
  examples: ['boot cloud-init boot', 'boot cloud-init boot boot.tar.gz --json'],
  configure(command) {
    withCloudInitOptions(command).option('-b, --boot <N|ID|NAME>', WHICH_BOOT);
  },
  async run(_args, typed: Options, typedDeps) {
    const isNamed = typed.infile !== undefined || typed.compat !== undefined;
    const { options, deps } = isNamed ? { options: typed, deps: typedDeps } : withSentStdin(typed, typedDeps);
    const { sentStdin: _, ...world } = withCachedStdin(deps);
    if (options.compat !== undefined) {
      requireBoot(compatVersion(options.compat));
      const record = await recordOf(options, { ...world, stderr: () => {} }).catch(orRethrow);
      return runCompat(options, world, (events, version) => compatBoot(events, record, version));
    }
    const record = await recordOf(options, world);
    const log = await readCloudInit(options, { ...world, stderr: () => {} }).catch(noLog);
    const times = bootTimes(record, logOf(record, log?.boots() ?? []));
    if (Object.values(times).every((at) => typeof at === 'string' || 'unknown' in at)) throw nothingKnown(options);
    if (options.json) writeJsonAnswer(options, deps, 'CloudInitBoot', jsonOf(times, record));
    else writeAnswer(options, deps, bootTimesText(times));
    return 0;
  },
};

/** Earlier versions reject the subcommand as bad usage. */
function requireBoot(version: CompatVersion): void {
  if (version.hasBoot) return;
  throw new UserError(`--compat=${version.name}: cloud-init analyze has \`boot\` since 19.2`, {
    code: 'boot/compat-version',
    next: 'use --compat=19.2 or later, or leave --compat out',
  });
}

/** Standard input is needed twice: for the record and for the log. */
function withCachedStdin(deps: CliDeps): CliDeps {
  const stream = stdinOf(deps);
  let kept: Uint8Array | (() => Iterable<Uint8Array>) | undefined;
  const read = () => {
    if (kept === undefined) {
      const content = stream();
      kept = content instanceof Uint8Array ? content : spooled('standard input', content, new InputLimits());
    }
    return kept;
  };
  return {
    ...deps,
    stdinChunks: () => {
      const content = read();
      return typeof content === 'function' ? content() : [content];
    },
  };
}

async function recordOf(options: Options, deps: CliDeps): Promise<BootRecord | undefined> {
  const isLive = options.infile === undefined && options.input === undefined;
  const { host, sudo } = options;
  const machine = { ...(host !== undefined && { host }), ...(sudo !== undefined && { sudo }) };
  const named = isLive ? machine : { ...machine, input: pathsOf(options) };
  const boot = options.boot === undefined ? {} : { boot: options.boot };
  return readBoot({ ...named, ...boot }, deps, isKernelBoot).catch(noRecord);
}

/** Without a log, the kernel times are still known. An unreadable path has already been reported. */
function noLog(error: unknown): undefined {
  if (error instanceof UserError) return undefined;
  throw error;
}

const FATAL = new Set([
  'boot/input-unreadable',
  'boot/host-unreachable',
  'boot/bad-host',
  'boot/interrupted',
  'cli/usage',
]);

/** An input that no source recognises may still be a log in a custom format. */
function noRecord(error: unknown): undefined {
  if (!(error instanceof UserError) || FATAL.has(error.code) || error.code.startsWith('boot/no-such')) throw error;
  return undefined;
}

/** An unreadable input is reported by runCompat, in the words of the real tool. */
function orRethrow(error: unknown): undefined {
  if (error instanceof UserError && error.code === 'boot/input-unreadable') return undefined;
  throw error;
}

function nothingKnown(options: Options): UserError {
  return new UserError(`cannot find any of the four times in ${pathsOf(options).join(', ')}`, {
    code: 'boot/no-boot-times',
    exitCode: 1,
    next: 'use a bundle from `headstart boot collect`, or cloud-init.log together with `systemctl show` of the manager and the units',
  });
}

function jsonOf(times: CloudInitBootTimes, record: BootRecord | undefined): object {
  return {
    ...(record?.bootId === undefined ? {} : { bootId: record.bootId }),
    ...times,
    kernelTookUs: betweenUs(times.kernelStart, times.kernelEnd),
    untilActivatedUs: betweenUs(times.kernelEnd, times.activated),
    untilStartedUs: betweenUs(times.activated, times.started),
  };
}
