// cluster/kubernetes/run-frame.ts: encodes exit code, stdout and stderr of a script in a pod's log so that a truncated log is detected.
import type { ScriptResult } from '../cluster.ts';

const BEGIN = 'headstart-run begin';
const END = 'headstart-run end';

/** The helper uses /run, which is in memory, so that it does not write to the disk that will be copied. */
export const LAUNCHER = launcherIn('/run');

/** Runs its first argument as a script and prints the frame. POSIX, with dash or busybox tools. `folder` must be writable. */
export function launcherIn(folder: string): string {
  return `umask 077
d=$(mktemp -d ${folder}/headstart-run.XXXXXX) || exit 125
trap 'rm -rf "$d"' EXIT
trap 'exit 124' TERM INT HUP
/bin/sh -c "$1" headstart </dev/null >"$d/out" 2>"$d/err"
c=$?
echo '${BEGIN}'
echo "exit $c"
base64 <"$d/out" | sed 's/^/out /'
base64 <"$d/err" | sed 's/^/err /'
echo '${END}'
`;
}

/** undefined: the log does not contain the whole frame. */
export function parseFrame(log: string): ScriptResult | undefined {
  const frame = parseFrameBytes(log);
  return frame && { ...frame, stdout: frame.stdout.toString() };
}

/** For a script whose output is not text. */
export function parseFrameBytes(log: string): (Omit<ScriptResult, 'stdout'> & { stdout: Buffer }) | undefined {
  const lines = log.split('\n').map((line) => line.trimEnd());
  const begin = lines.indexOf(BEGIN);
  const end = lines.indexOf(END, begin);
  if (begin < 0 || end < 0) return undefined;
  const framed = lines.slice(begin + 1, end);
  const texts = (prefix: string) =>
    framed.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));
  const exitCode = Number(texts('exit ')[0] ?? Number.NaN);
  if (!Number.isInteger(exitCode)) return undefined;
  return { exitCode, stdout: decode(texts('out ')), stderr: decode(texts('err ')).toString() };
}

/** The output of the launcher, for the simulated kubelet. */
export function renderFrame({ exitCode, stdout, stderr }: FramedOutput): string {
  const encode = (prefix: string, output: string | Uint8Array) =>
    (
      Buffer.from(output)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).map((line) => prefix + line);
  return `${[BEGIN, `exit ${exitCode}`, ...encode('out ', stdout), ...encode('err ', stderr), END].join('\n')}\n`;
}

export type FramedOutput = Omit<ScriptResult, 'stdout'> & { stdout: string | Uint8Array };

function decode(lines: string[]): Buffer {
  return Buffer.from(lines.join(''), 'base64');
}
