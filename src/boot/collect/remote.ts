// boot/collect/remote.ts: collects from another machine over ssh or another channel. That machine needs only a POSIX shell.
import type { RunCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import { ownText } from '../../base/own-files/own-files.ts';
import { sshMissing, sshProgram } from '../../base/ssh-program.ts';
import type { CollectResult } from './collect-result.ts';
import { hostnameIn } from './collect-result.ts';
import { parseFrames } from './frames.ts';
import { type CollectItem, THIS_HOST } from './items.ts';
import { unpackMembers } from './unpack.ts';

export interface RemoteOptions {
  /** As for ssh: a host alias, HOST or USER@HOST. */
  host: string;
  items: readonly CollectItem[];
  run: RunCommand;
  /** Read as root there; works only if sudo requires no password. */
  sudo?: boolean;
  signal?: AbortSignal;
  env?: NodeJS.ProcessEnv;
}

const TIMEOUT_MS = 5 * 60_000;
const MAX_BYTES = 512 << 20;

export async function collectRemote({ host, items, run, sudo, signal, env }: RemoteOptions): Promise<CollectResult> {
  const program = sshProgram(env ?? {});
  const argv = sshCommand(host, sudo ? ['sudo', '-n', 'sh', '-s'] : ['sh', '-s'], program);
  const ran = await run(argv, {
    input: remoteScript(items),
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
    ...(env && { env }),
  });
  const collected = collectedIn(ran.stdout, host);
  if (!collected) throw notReached(host, ran.outcome, ran.stderr, program);
  return collected;
}

/** Collects through the caller's shell function, which runs a script and returns its output. Does not catch its errors. */
export async function collectThrough(
  shell: (script: string) => Promise<Buffer>,
  { from, items }: { from: string; items: readonly CollectItem[] },
): Promise<CollectResult> {
  const collected = collectedIn(await shell(remoteScript(items)), from);
  if (collected) return collected;
  throw new UserError(`could not collect from ${from}: it returned no data`, {
    code: 'boot/host-unreachable',
    kept: 'Nothing was written.',
    next: 'run this again; if it fails again, check if its disk is full',
    exitCode: 1,
  });
}

/** Undefined if the stream has no members. */
function collectedIn(stream: Buffer, from: string): CollectResult | undefined {
  const { members, missed, isComplete } = parseFrames(stream);
  if (members.length === 0) return undefined;
  if (!isComplete) missed.push({ name: 'the rest', why: `the connection to ${from} ended early` });
  const unpacked = unpackMembers(members);
  const hostname = hostnameIn(members) || from.replace(/^.*@/, '');
  return { hostname, members: unpacked.members, missed: [...missed, ...unpacked.missed] };
}

/** The ssh command line. Refuses a host name that ssh would parse as an option. */
export function sshCommand(host: string, remote: readonly string[], program = 'ssh'): [string, ...string[]] {
  if (!/^[^-\s\p{Cc}][^\s\p{Cc}]*$/u.test(host)) {
    throw new UserError(`${JSON.stringify(host)} is not a host to connect to`, {
      code: 'boot/bad-host',
      next: 'give --host HOST or --host USER@HOST, as you would to ssh',
    });
  }
  return [program, '-T', '--', host, ...remote];
}

export function remoteScript(items: readonly CollectItem[]): string {
  const prelude = ownText(new URL('./remote.sh', import.meta.url));
  return `${prelude}\n${items.map(lineFor).join('\n')}\necho end\n`;
}

function lineFor(item: CollectItem): string {
  if (item.kind === 'file') {
    // Unquoted so that the remote shell expands it; safe because the pattern is a constant.
    return `take_files ${quoted(item.pattern.slice(1))} ${item.keep} ${item.maxBytes} "$root"${item.pattern}`;
  }
  const name = quoted(item.name);
  const limits = `${Math.ceil(item.timeoutMs / 1000)} ${item.maxBytes}`;
  const tries = item.tries.map((argv) => `take_command ${name} ${limits} ${argv.map(quoted).join(' ')}`);
  return `${tries.join(' ||\n  ')} ||\n  miss ${name} "$why"`;
}

function quoted(word: string): string {
  return word === THIS_HOST ? '"$node"' : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

function notReached(host: string, outcome: string, stderr: string, program: string): UserError {
  const missing = sshMissing(program);
  const lastLine = stderr.trim().split('\n').at(-1)?.trim();
  const why =
    outcome === 'missing'
      ? missing.why
      : outcome === 'aborted'
        ? 'interrupted'
        : outcome === 'timed-out'
          ? `timed out after ${TIMEOUT_MS / 60_000} minutes`
          : lastLine || 'it returned no data';
  return new UserError(`could not collect from ${host}: ${why}`, {
    code: 'boot/host-unreachable',
    kept: 'Nothing was written.',
    next: outcome === 'missing' ? missing.next : `try \`${program} ${host} true\`; once that works, run this again`,
    exitCode: 1,
  });
}
