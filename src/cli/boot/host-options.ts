// cli/boot/host-options.ts: --host and --sudo of the boot verbs: which machine is read over ssh instead of this one?
import type { Command } from 'commander';
import { UserError } from '../../base/errors.ts';
import { sshCommand } from '../../boot/collect/remote.ts';
import type { CliDeps } from '../verb.ts';

export interface HostOptions {
  host?: string;
  sudo?: boolean;
}

export function withHostOptions(command: Command): Command {
  return command
    .option(
      '-H, --host <USER@HOST>',
      'read this machine over ssh instead; it needs only a shell, and nothing is changed',
    )
    .option('--sudo', 'with --host: read as root; sudo must not ask for a password there');
}

/** For loadInputs. Throws before anything is run if the options contradict each other. */
export function hostOf(
  { host, sudo, input }: HostOptions & { input?: string[] },
  { env }: Pick<CliDeps, 'env'>,
): { host?: { name: string; sudo: boolean; env: CliDeps['env'] } } {
  if (host === undefined && sudo) throw usage('--sudo is for --host', 'add --host USER@HOST, or leave out --sudo');
  if (host === undefined) return {};
  if (input) throw usage(`--host ${host} and inputs exclude each other`, 'leave out --host, or the files');
  sshCommand(host, []); // throws on a name that ssh would read as an option
  return { host: { name: host, sudo: sudo === true, env } };
}

function usage(message: string, next: string): UserError {
  return new UserError(message, { code: 'cli/usage', next });
}
