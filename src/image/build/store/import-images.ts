// image/build/store/import-images.ts: has the real containerd import and unpack images into a folder, in namespaces of its own: no network, nothing of this machine's /run.

import type { Waiting } from '../../../base/call-options.ts';
import type { Ran, RunCommand, RunOptions } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { parseUsages, type Usage } from './normalise-store.ts';

export interface ImageToImport {
  archive: string;
  /** Of the one image in it. */
  digest: string;
  /** `key=value`. No comma is in them, nor in names. */
  labels: readonly string[];
  /** The first is what it is called. */
  names: readonly string[];
}

export interface ImportDeps {
  runAsRoot: RunCommand;
  /** Becomes containerd's root folder. */
  store: string;
  /** For logs. */
  scratch: string;
  signal?: AbortSignal | undefined;
  onWaiting?: Waiting | undefined;
}

/** Gives what each snapshot takes, by its number. */
export async function importImages(
  images: readonly ImageToImport[],
  programs: { containerd: string; ctr: string },
  { runAsRoot, store, scratch, signal, onWaiting }: ImportDeps,
): Promise<ReadonlyMap<bigint, Usage>> {
  const words = images.flatMap(({ archive, digest, labels, names }) => [archive, digest, labels.join(), names.join()]);
  const shell = ['sh', '-c', SCRIPT, 'import-images', programs.containerd, programs.ctr, store, scratch];
  const nameOf = (number: string) => images[Number(number)]?.names[0];
  onWaiting?.('containerd to start');
  const options: RunOptions = {
    timeoutMs: DEADLINE_MS,
    onStderr: (text) => {
      const number = /^importing (\d+)$/m.exec(text)?.[1];
      if (number !== undefined)
        onWaiting?.(`${nameOf(number)} to be imported`, Math.floor((100 * Number(number)) / images.length));
    },
  };
  const ran = await runAsRoot(['unshare', '--net', ...shell, ...words], { ...options, signal });
  signal?.throwIfAborted();
  if (ran.code === 0) return parseUsages(ran.stdout.toString());
  throw notImported(ran, { nameOf, containerd: programs.containerd, store });
}

interface ImportContext {
  nameOf: (number: string) => string | undefined;
  containerd: string;
  store: string;
}

function notImported({ outcome, stderr }: Ran, { nameOf, containerd, store }: ImportContext): UserError {
  const number = [...stderr.matchAll(/^importing (\d+)$/gm)].at(-1)?.[1];
  // Each line of ctr repeats the one before with more around it.
  const said = stderr.trim().split('\n').slice(-1).join('').slice(-1000);
  if (number === undefined)
    return new UserError(`containerd did not start (${outcome}): ${said}`, {
      code: 'image/containerd-not-started',
      kept: 'No image was made.',
      next: `see that this machine can run ${containerd}: an older system may lack the libraries it needs`,
      exitCode: 1,
    });
  return new UserError(`containerd did not import ${nameOf(number)} (${outcome}): ${said}`, {
    code: 'image/not-imported',
    kept: 'No image was made.',
    next: `see that ${store} is on a disk with room, of a kind that overlayfs can be on (ext4, xfs); then run the same command again`,
    exitCode: 1,
  });
}

/** Large images on a slow disk take minutes; that it hangs is for the user to decide. */
const DEADLINE_MS = 60 * 60_000;

/**
 * One shell, so that all of it ends together. Arguments: containerd, ctr, the store's folder, scratch; then for each image its archive,
 * its digest, its labels and its names, with commas between them. Prints one line for each file of a snapshot, to be counted.
 */
const SCRIPT = `set -euf
umask 022
containerd=$1 ctr=$2 store=$3 scratch=$4
shift 4

# Nothing of this machine's /run is seen, nothing is left in it, and every path is short enough for a socket.
mount -t tmpfs -o mode=0755 tmpfs /run
mkdir /run/store
mount --bind "$store" /run/store
cat >/run/config.toml <<'END'
version = 2
root = "/run/store"
state = "/run/state"
# cri and opt would write outside of the store.
disabled_plugins = ["io.containerd.grpc.v1.cri", "io.containerd.internal.v1.opt"]
[grpc]
address = "/run/c.sock"
END

env -i PATH="$PATH" "$containerd" --config /run/config.toml >"$scratch/containerd.log" 2>&1 &
server=$!
ask() {
  patience=$1
  shift
  env -i PATH="$PATH" "$ctr" --address /run/c.sock --connect-timeout "$patience" --namespace k8s.io "$@"
}
call() { ask 60s "$@"; }

tries=0
until ask 2s version >/dev/null 2>"$scratch/ctr.log"; do
  tries=$((tries + 1))
  if ! kill -0 "$server" 2>/dev/null || [ "$tries" -gt 60 ]; then
    # Of the two the server's last word is worth more, if it has ended.
    tail -qn 1 "$scratch/ctr.log" >&2
    kill -0 "$server" 2>/dev/null || tail -n 1 "$scratch/containerd.log" >&2
    exit 1
  fi
  sleep 0.1
done

import_all() {
  number=0
  while [ $# -gt 0 ]; do
    echo "importing $number" >&2
    call images import --snapshotter overlayfs --digests --base-name "import.invalid/$number" "$1" >/dev/null
    shift 4
    number=$((number + 1))
  done
}

# Only once all are there: a name in an archive cannot take what another was given.
name_all() {
  number=0
  while [ $# -gt 0 ]; do
    imported=import.invalid/$number@$2
    IFS=,
    call images label "$imported" $3 >/dev/null
    call images tag --force "$imported" $4 >/dev/null
    printf '%s\\n' $4 >>/run/names
    unset IFS
    shift 4
    number=$((number + 1))
  done
}

import_all "$@"
name_all "$@"
# With the last of them containerd removes, and waits for it, all that nothing refers to any more: indices, half-done work.
call images rm --sync $(call images ls -q | grep -Fxv -f /run/names) >/dev/null
kill "$server"
wait "$server"

# What is kept is what containerd cannot make again by itself; the rest it makes when it starts, some of it (an id) once for each node.
find "$store" -mindepth 1 -maxdepth 1 ! -name io.containerd.content.v1.content ! -name io.containerd.metadata.v1.bolt \\
  ! -name io.containerd.snapshotter.v1.overlayfs -exec rm -rf --one-file-system {} +
cd "$store/io.containerd.snapshotter.v1.overlayfs/snapshots"
find . -mindepth 2 -maxdepth 2 -name work -print0 | xargs -0 -I{} find {} -mindepth 1 -delete
find . -mindepth 2 -maxdepth 2 -name fs -printf '%P\\0' | xargs -0 -I{} find {} -printf '%y %i %s %H\\n'
`;
