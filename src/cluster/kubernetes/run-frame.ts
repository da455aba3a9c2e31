// cluster/kubernetes/run-frame.ts: a pod's log is one stream; how do exit code, stdout and stderr of a script travel in it, and how is a cut log noticed?
import type { ScriptResult } from '../cluster.ts';

const BEGIN = 'headstart-run begin';
const END = 'headstart-run end';

/**
 * Runs its first argument as a script and prints the frame. It works in /run, which is in memory: nothing is written to the disk
 * that is going to be copied. POSIX, with dash or busybox tools.
 */
export const LAUNCHER = `umask 077
d=$(mktemp -d /run/headstart-run.XXXXXX) || exit 125
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

/** undefined: the log does not hold the whole frame. */
export function parseFrame(log: string): ScriptResult | undefined {
  const lines = log.split('\n').map((line) => line.trimEnd());
  const begin = lines.indexOf(BEGIN);
  const end = lines.indexOf(END, begin);
  if (begin < 0 || end < 0) return undefined;
  const framed = lines.slice(begin + 1, end);
  const texts = (prefix: string) =>
    framed.filter((line) => line.startsWith(prefix)).map((line) => line.slice(prefix.length));
  const exitCode = Number(texts('exit ')[0] ?? Number.NaN);
  if (!Number.isInteger(exitCode)) return undefined;
  return { exitCode, stdout: decode(texts('out ')), stderr: decode(texts('err ')) };
}

/** What the launcher would print; for the simulated kubelet. */
export function renderFrame({ exitCode, stdout, stderr }: ScriptResult): string {
  const encode = (prefix: string, text: string) =>
    (
      Buffer.from(text)
        .toString('base64')
        .match(/.{1,76}/g) ?? []
    ).map((line) => prefix + line);
  return `${[BEGIN, `exit ${exitCode}`, ...encode('out ', stdout), ...encode('err ', stderr), END].join('\n')}\n`;
}

function decode(lines: string[]): string {
  return Buffer.from(lines.join(''), 'base64').toString();
}
