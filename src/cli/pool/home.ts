// cli/pool/home.ts: which folder holds the galleries, the pools and their disks?
import { statSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { UserError } from '../../base/errors.ts';
import { SHARED_GROUPS } from '../help.ts';
import type { CliDeps } from '../verb.ts';

export interface HomeOptions {
  home?: string;
}

export function withHomeOption(command: Command): Command {
  return command.addOption(
    new Option(
      '--home <FOLDER>',
      'the folder with pools and clusters; default: $HEADSTART_HOME, $XDG_DATA_HOME/headstart or ~/.local/share/headstart',
    ).helpGroup(SHARED_GROUPS.local),
  );
}

export function homeFolder({ home }: HomeOptions, env: CliDeps['env']): string {
  const named = home ?? env.HEADSTART_HOME;
  if (named) return notAFile(resolve(named), home === undefined ? 'HEADSTART_HOME' : '--home');
  // The XDG base directory specification says to ignore relative paths.
  const data = env.XDG_DATA_HOME;
  if (data && isAbsolute(data)) return join(data, 'headstart');
  if (env.HOME && isAbsolute(env.HOME)) return join(env.HOME, '.local', 'share', 'headstart');
  throw new UserError('no folder for pools: none of HEADSTART_HOME, XDG_DATA_HOME and HOME is an absolute path', {
    code: 'pool/no-home',
    next: 'name a folder with --home FOLDER',
  });
}

/** With a file as the home folder, `pool list` would wrongly report no pools. A missing folder is created when needed. */
function notAFile(folder: string, setting: string): string {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (!stat || stat.isDirectory()) return folder;
  throw new UserError(`${setting} is ${folder}, which is a file, not a folder`, {
    code: 'pool/bad-home',
    kept: 'Nothing was changed.',
    next: 'name a folder with --home FOLDER',
  });
}

/** Holds the locks and saved models of runs on pools without a cluster. */
export function prototypeFolder(home: string): string {
  return join(home, 'prototype');
}
