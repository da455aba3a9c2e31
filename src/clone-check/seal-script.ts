// clone-check/seal-script.ts: creates the script that seals a machine over any channel, and parses its output.
import { ownText } from '../base/own-files/own-files.ts';
import { type CheckItem, parseItems } from './result.ts';

export interface SealOptions {
  /** The donor's VM id from the provider; the script refuses to seal any other machine. */
  vmId: string;
  /** The Kubernetes node name; absent for a pool without a cluster. */
  nodeName?: string;
  /** Mount point of the machine's root file system; absent for the machine that runs the script. */
  root?: string;
}

export interface SealResult {
  isSealed: boolean;
  items: CheckItem[];
  /** Why it is not sealed, as `item: reason`. */
  problems: string[];
}

const FILES = [
  'headstart-clone-check',
  'headstart-clone-check.service',
  'headstart-clone-finish.service',
  'kubelet-drop-in.conf',
] as const;

/** In output order. */
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

/** The items that `scrubScript` reports, in order of first appearance. */
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

/** Read-only: is the machine sealed with exactly these files, and does its disk belong to it? */
export function verifyScript(root?: string): string {
  return runScript(['verify', ...at(root)]);
}

export function unsealScript(root?: string): string {
  return runScript(['unseal', ...at(root)]);
}

/** Removes the owner's identity from a copy mounted at `root`, verifies that nothing is left, and removes the owner's names. */
export function scrubScript(root: string): string {
  return runScript(['scrub', ...at(root)], ['verify', '--scrubbed', ...at(root)], ['anonymize', ...at(root)]);
}

/** Sealed only if every item is reported as successful. */
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
  // The script stops after a failure, so missing items are expected then.
  const problems = failed.length > 0 ? failed : missing;
  return { isSealed: problems.length === 0, items, problems };
}

/**
 * For `sh -s` or `sh -c`, as root. Quoted here-documents write the files to a temporary folder in memory, so no tool is needed to
 * unpack them.
 */
function runScript(...runs: readonly string[][]): string {
  const unpack = FILES.map((name) => {
    const text = fileText(name);
    if (text.split('\n').includes(END)) throw new Error(`${name} contains the end line of its here-document`);
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
[ -n "$work" ] || { echo 'no writable folder: tried /run, /dev/shm and /tmp' >&2; exit 1; }
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
  return ownText(new URL(`./${name}`, import.meta.url));
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
