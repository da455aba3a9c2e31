// cli/pool/home.ts: the one folder that holds galleries, pools and their disks: which is it?
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
      'the folder with pools and clusters; default: HEADSTART_HOME, or headstart in XDG_DATA_HOME or ~/.local/share',
    ).helpGroup(SHARED_GROUPS.local),
  );
}

export function homeFolder({ home }: HomeOptions, env: CliDeps['env']): string {
  const named = home ?? env.HEADSTART_HOME;
  if (named) return notAFile(resolve(named), home === undefined ? 'HEADSTART_HOME' : '--home');
  // The specification of base folders has relative ones ignored.
  const data = env.XDG_DATA_HOME;
  if (data && isAbsolute(data)) return join(data, 'headstart');
  if (env.HOME) return join(env.HOME, '.local', 'share', 'headstart');
  throw new UserError('there is no place for pools: neither HEADSTART_HOME, XDG_DATA_HOME nor HOME is set', {
    code: 'pool/no-home',
    next: 'name a folder with --home FOLDER',
  });
}

/** An empty answer would be wrong where the folder of pools is none. One that does not exist yet is made when it is needed. */
function notAFile(folder: string, setting: string): string {
  const stat = statSync(folder, { throwIfNoEntry: false });
  if (!stat || stat.isDirectory()) return folder;
  throw new UserError(`${setting} is ${folder}, which is a file, not a folder`, {
    code: 'pool/bad-home',
    kept: 'Nothing was changed.',
    next: 'name a folder with --home FOLDER',
  });
}

/** Where runs on pools without a cluster keep their locks and saved recipes. */
export function prototypeFolder(home: string): string {
  return join(home, 'prototype');
}
