// image/build/store/import-images.ts: how are container images imported and unpacked? By the real containerd, in its own namespaces: no network, and without this machine's /run.

import type { Waiting } from '../../../base/call-options.ts';
import type { Ran, RunCommand, RunOptions } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { parseUsages, type Usage } from './normalise-store.ts';

export interface ImageToImport {
  archive: string;
  /** Digest of the only image in the archive. */
  digest: string;
  /** `key=value`. Labels and names contain no commas. */
  labels: readonly string[];
  /** The first one is its main name. */
  names: readonly string[];
}

export interface ImportDeps {
  runAsRoot: RunCommand;
  /** Becomes containerd's root folder. */
  store: string;
  scratch: string;
  signal?: AbortSignal | undefined;
  onWaiting?: Waiting | undefined;
}

/** Returns the disk usage of each snapshot, by its number. */
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
  // Each line of ctr wraps the one before, so the last line has everything.
  const message = stderr.trim().split('\n').slice(-1).join('').slice(-1000);
  if (number === undefined)
    return new UserError(`containerd did not start (${outcome}): ${message}`, {
      code: 'image/containerd-not-started',
      kept: 'No image was built.',
      next: `make sure that this machine can run ${containerd}: an older system may lack required libraries`,
      exitCode: 1,
    });
  return new UserError(`containerd did not import ${nameOf(number)} (${outcome}): ${message}`, {
    code: 'image/not-imported',
    kept: 'No image was built.',
    next: `make sure that ${store} has free space and is on a file system that overlayfs supports (ext4, xfs); then run the same command again`,
    exitCode: 1,
  });
}

/** Large images on a slow disk take minutes. The user can interrupt a hung import earlier. */
const DEADLINE_MS = 60 * 60_000;

/**
 * One shell, so that everything ends together. Arguments: containerd, ctr, the store folder, a scratch folder; then for each image its
 * archive, digest, labels and names, the last two comma-separated. Prints one line per file of a snapshot.
 */
const SCRIPT = `set -euf
umask 022
containerd=$1 ctr=$2 store=$3 scratch=$4
shift 4

# Hides this machine's /run, leaves nothing in it, and keeps paths short enough for a socket.
mount -t tmpfs -o mode=0755 tmpfs /run
mkdir /run/store
mount --bind "$store" /run/store
cat >/run/config.toml <<'END'
version = 2
root = "/run/store"
state = "/run/state"
# cri and opt would write outside the store.
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
    # If the server has ended, its last message explains more, so print it last.
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

# After all imports, so that a name in one archive cannot override the name of another image.
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
# With the last removal containerd deletes everything unreferenced (indices, partial work) and waits for it.
call images rm --sync $(call images ls -q | grep -Fxv -f /run/names) >/dev/null
kill "$server"
wait "$server"

# Keep only what containerd cannot create again. It creates the rest at startup, some of it (an id) once per node.
find "$store" -mindepth 1 -maxdepth 1 ! -name io.containerd.content.v1.content ! -name io.containerd.metadata.v1.bolt \\
  ! -name io.containerd.snapshotter.v1.overlayfs -exec rm -rf --one-file-system {} +
cd "$store/io.containerd.snapshotter.v1.overlayfs/snapshots"
find . -mindepth 2 -maxdepth 2 -name work -print0 | xargs -0 -I{} find {} -mindepth 1 -delete
find . -mindepth 2 -maxdepth 2 -name fs -printf '%P\\0' | xargs -0 -I{} find {} -printf '%y %i %s %H\\n'
`;
