// image/lock/isolated-apt.ts: how does apt resolve packages without touching this machine? It gets its own state folder, needs no root and ignores installed packages.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Argv, CommandResult, RunCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import type { Architecture } from '../manifest/manifest.ts';

export interface AptDeps {
  run: RunCommand;
  /** This machine's apt settings for proxies, certificates and passwords. */
  aptConf: string;
  /** A scratch folder that other users cannot read. */
  folder: string;
  signal?: AbortSignal | undefined;
}

export interface AptSource {
  suite: string;
  /** May contain a password. */
  uri: string;
}

const KEYRING = '/usr/share/keyrings/debian-archive-keyring.gpg';
const COMMAND_NOT_FOUND = 127;
const DEADLINE_MS = 15 * 60_000;
const MAX_INDEX_BYTES = 1 << 29;

/** Throws an error that begins with `whatFailed` if the command fails. */
export type Apt = (argv: Argv, whatFailed: string) => Promise<CommandResult>;

export function isolatedApt(from: readonly AptSource[], architecture: Architecture, deps: AptDeps): Apt {
  const { folder, aptConf, run, signal } = deps;
  for (const part of ['state/lists/partial', 'cache/archives/partial', 'etc']) {
    mkdirSync(join(folder, part), { recursive: true, mode: 0o700 });
  }
  const signed = existsSync(KEYRING) ? `[signed-by=${KEYRING}] ` : '';
  const sources = from.map(({ suite, uri }) => `deb ${signed}${uri} ${suite} main\n`).join('');
  // In files, because every user can see a password in a command line.
  writeFileSync(join(folder, 'etc', 'sources.list'), sources, { mode: 0o600 });
  writeFileSync(join(folder, 'status'), '');
  writeFileSync(
    join(folder, 'apt.conf'),
    `${aptConf}
APT::Architecture "${architecture}";
#clear APT::Architectures;
APT::Architectures:: "${architecture}";
APT::Install-Recommends "false";
APT::Sandbox::User "root";
Acquire::Languages "none";
Dir::Etc "${folder}/etc";
Dir::Etc::parts "${folder}/none";
Dir::Etc::sourcelist "${folder}/etc/sources.list";
Dir::Etc::sourceparts "${folder}/none";
Dir::Etc::trustedparts "/etc/apt/trusted.gpg.d";
Dir::State "${folder}/state";
Dir::State::status "${folder}/status";
Dir::Cache "${folder}/cache";
`,
    { mode: 0o600 },
  );
  const settings = [`APT_CONFIG=${join(folder, 'apt.conf')}`, 'LC_ALL=C.UTF-8', 'DEBIAN_FRONTEND=noninteractive'];
  return async (argv, whatFailed) => {
    const ran = await run(['env', ...settings, ...argv], { timeoutMs: DEADLINE_MS, maxBytes: MAX_INDEX_BYTES, signal });
    signal?.throwIfAborted();
    if (ran.code === 0) return ran;
    const isMissing = ran.outcome === 'missing' || ran.code === COMMAND_NOT_FOUND;
    throw new UserError(
      `${whatFailed} (${ran.outcome}): ${lastLines(`${ran.stdout.subarray(-4000)}\n${ran.stderr}`)}`,
      {
        code: isMissing ? 'image/no-apt' : 'image/packages-not-resolved',
        kept: 'Nothing was changed.',
        next: isMissing
          ? 'run the same command on Debian or Ubuntu'
          : 'read the message of apt; the mirrors file defines where packages come from',
        exitCode: 1,
      },
    );
  };
}

/** Removes passwords from URIs. */
function lastLines(text: string): string {
  const lines = text
    .trim()
    .split('\n')
    .filter((line) => line.trim() !== '');
  return lines
    .slice(-6)
    .join(' / ')
    .replace(/\/\/[^/\s@]*@/g, '//')
    .slice(-900);
}
