// cli/boot/systemd/options.ts: the options that the `boot systemd` verbs share with systemd-analyze, and how its output is printed.
import type { Command } from 'commander';
import { UserError } from '../../../base/errors.ts';
import type { JsonForm } from '../../../boot/compat/systemd/exact/json-rows.ts';
import type { ToolOutput } from '../../../boot/compat/systemd/exact/tool-output.ts';
import { type Behaviour, behaviourOf, NEWEST_NAME, parseVersion } from '../../../boot/compat/systemd/versions.ts';
import type { BootRecord } from '../../../boot/model/record.ts';
import { screenOf } from '../../output/screen.ts';
import { printable } from '../../output/table.ts';
import type { CliDeps } from '../../verb.ts';
import { valueOrInput } from '../input-words.ts';
import { type BootOptions, withBootOptions } from '../read-boot.ts';

export interface SystemdOptions extends BootOptions {
  compat?: string | true;
}

export function withSystemdOptions(command: Command): Command {
  return withCompatOptions(withBootOptions(command));
}

export function withCompatOptions(command: Command): Command {
  return command
    .option(
      '--compat [VERSION]',
      `print exactly what this version of systemd-analyze prints (default: ${NEWEST_NAME})`,
      valueOrInput(command),
    )
    .option('--no-pager', 'ignored; accepted for compatibility with systemd-analyze');
}

export type JsonOption = string | true;

/** The forms in which systemd-analyze prints JSON; undefined = none. `--json` alone is the short one. */
export function jsonFormOf(json: JsonOption | undefined): JsonForm | undefined {
  if (json === undefined || json === 'off') return undefined;
  if (json === true || json === 'short') return 'short';
  if (json === 'pretty') return 'pretty';
  throw new UserError(`--json=${json}: expected short, pretty or off`, {
    code: 'boot/bad-option',
    next: 'leave out the value, or use one of these',
  });
}

/** `--compat UNIT` means `--compat` and a unit: a version starts with a digit, a unit's name hardly ever does. */
export function compatOf(options: SystemdOptions, args: string[]): { behaviour?: Behaviour; args: string[] } {
  const { compat } = options;
  if (compat === undefined) return { args };
  const isUnit = typeof compat === 'string' && !/^v?\d/.test(compat) && compat.includes('.');
  const { version, point } = parseVersion(isUnit ? true : compat);
  return { behaviour: behaviourOf(version, point), args: isUnit ? [compat, ...args] : args };
}

export function printCompat({ stdout, stderr, exitCode }: ToolOutput, deps: CliDeps): number {
  if (stdout !== '') deps.stdout(stdout);
  if (stderr !== '') deps.stderr(stderr);
  return exitCode;
}

/** Like systemd-analyze: output into a pipe is never coloured, even with FORCE_COLOR. */
export function isColoured(deps: CliDeps): boolean {
  return deps.isTerminal.stdout && screenOf(deps).hasColour;
}

/** Replaces control characters: names come from files and must not control the terminal. */
export function printLines(deps: CliDeps, text: string): void {
  deps.stdout(text.split('\n').map(printable).join('\n'));
}

/** The fields of the record that are in every JSON answer of these verbs. */
export function jsonFacts(record: BootRecord): object {
  return { ...(record.bootId !== undefined && { bootId: record.bootId }), clock: record.clock };
}
