// clone-check/seal-script.ts: the one text that is run on a machine, over any channel, to seal it, and what its answer means.
import { readFileSync } from 'node:fs';
import { type CheckItem, parseItems } from './result.ts';

export interface SealOptions {
  /** The donor's VM id as the factory has it; the script refuses to seal any other machine. */
  vmId: string;
  /** What Kubernetes calls the node; absent for a pool without a cluster. */
  nodeName?: string;
  /** Where the machine's root file system is mounted; absent for the machine the script runs on. */
  root?: string;
}

export interface SealResult {
  isSealed: boolean;
  items: CheckItem[];
  /** Why it is not sealed, each naming its item. */
  problems: string[];
}

const FILES = [
  'headstart-clone-check',
  'headstart-clone-check.service',
  'headstart-clone-finish.service',
  'kubelet-drop-in.conf',
] as const;

/** In the order in which they are printed. `kubelet` and `serving-certificate` may be absent, no other. */
const SEAL_ITEMS = [
  'tools',
  'systemd',
  'kubelet',
  'vm-id',
  'serving-certificate',
  'script',
  'unit',
  'finish-unit',
  'owner',
  'link',
  'drop-in',
] as const;
const MAY_BE_ABSENT: ReadonlySet<string> = new Set(['kubelet', 'serving-certificate']);

/** What the script of `scrubScript` reports, in the order in which it first does. */
export const SCRUB_ITEMS = [
  'kubelet-credentials',
  'kubelet-state',
  'cni-state',
  'containers',
  'cloud-init',
  'guest-agent',
  'leases',
  'net-rules',
  'ssh-host-keys',
  'random-seed',
  'logs',
  'host-name',
  'machine-id',
  'owner',
] as const;

export function sealScript({ vmId, nodeName, root }: SealOptions): string {
  const named = nodeName === undefined ? [] : ['--node-name', nodeName];
  return runScript(['seal', '--donor-id', vmId, ...named, ...at(root)]);
}

/** Reports only: is the machine sealed with these very files, and does its disk belong to it? */
export function verifyScript(root?: string): string {
  return runScript(['verify', ...at(root)]);
}

export function unsealScript(root?: string): string {
  return runScript(['unseal', ...at(root)]);
}

/** Removes the owner's identity from a copy that is mounted at `root`, looks whether anything is left, and forgets its names. */
export function scrubScript(root: string): string {
  return runScript(['scrub', ...at(root)], ['verify', '--scrubbed', ...at(root)], ['anonymize', ...at(root)]);
}

/** Not sealed unless every item is there and went well. */
export function parseSealResult(stdout: string): SealResult {
  const items = parseItems(stdout);
  const byName = new Map(items.map((item) => [item.name, item]));
  const failed = items
    .filter(({ state }) => state === 'failed')
    .map(({ name, reason }) => `${name}: ${reason ?? 'failed'}`);
  const missing = SEAL_ITEMS.filter((name) => {
    const state = byName.get(name)?.state;
    return state === undefined || (state === 'absent' && !MAY_BE_ABSENT.has(name));
  }).map((name) => `${name}: not reported as done`);
  // After a failure the script stops, so what is missing then is no news.
  const problems = failed.length > 0 ? failed : missing;
  return { isSealed: problems.length === 0, items, problems };
}

/**
 * For `sh -s` or `sh -c`, as root. The files are written to a folder in memory that goes away again, in quoted here-documents:
 * no tool is needed to unpack them.
 */
function runScript(...runs: readonly string[][]): string {
  const unpack = FILES.map((name) => {
    const text = fileText(name);
    if (text.split('\n').includes(END)) throw new Error(`${name} has the line that would end it`);
    return `cat >"$work"/${name} <<'${END}' || exit 1\n${text}${END}\n`;
  });
  const script = `/bin/sh "$work"/${FILES[0]}`;
  const lines = runs.map((words) => `${script} ${words.map(quoted).join(' ')} --from "$work"`);
  return `set -u
umask 077
PATH=\${PATH:-}:/usr/sbin:/usr/bin:/sbin:/bin
work=
for folder in /run /dev/shm /tmp; do
  work=$(mktemp -d "$folder/headstart.XXXXXX" 2>/dev/null) && break
done
[ -n "$work" ] || { echo 'no folder to write to: tried /run, /dev/shm and /tmp' >&2; exit 1; }
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
${unpack.join('')}${lines.join(' &&\n')}
`;
}

function at(root: string | undefined): string[] {
  return root === undefined ? [] : ['--root', root];
}

const END = 'end-of-headstart-file';

function fileText(name: string): string {
  return readFileSync(new URL(`./${name}`, import.meta.url), 'utf8');
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
