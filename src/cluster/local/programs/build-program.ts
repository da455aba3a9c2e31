// cluster/local/programs/build-program.ts: builds one program of Kubernetes with Go from tools/kube.

import { ensureFolder } from '../../../base/cache-folder.ts';
import type { CallOptions } from '../../../base/call-options.ts';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { ownPath } from '../../../base/own-files/own-files.ts';
import { whyUnwritable } from '../../../base/why-unreadable.ts';
import { killedWithParent } from '../../../host/run-tool.ts';
import { requireGo } from './go-tool.ts';

/** Each is also a tool of that module: only then does go.sum have the checksums of all its dependencies. */
export const GO_PACKAGES = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
} as const;
export type KubeProgram = keyof typeof GO_PACKAGES;

export interface ProgramBuildDeps {
  env: Readonly<Record<string, string | undefined>>;
  run: RunCommand;
  freeBytes(folder: string): Promise<number>;
}

/** The Go module that names the versions of all dependencies. */
export const kubeModule = () => ownPath(new URL('../../../../tools/kube', import.meta.url));
const BUILD_MS = 3 * 3_600_000;
const GO_ENV_MS = 60_000;
/** A program and Go's build cache, if most of it was built before; a build from scratch needs three times as much. */
const NEEDED_BYTES = 1 << 30;
const REPORTED_PACKAGES = 100;
const TAIL_CHARS = 2_000;

/** The API server takes ten minutes on two cores without a build cache. `version` is the version that the program reports. */
export async function buildProgram(
  { name, version, output }: { name: KubeProgram; version: string; output: string },
  deps: ProgramBuildDeps,
  call: CallOptions = {},
): Promise<void> {
  const env = { ...deps.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' };
  const goEnv = await deps.run(['go', 'env', '-json', 'GOVERSION', 'GOCACHE'], {
    env,
    timeoutMs: GO_ENV_MS,
    signal: call.signal,
  });
  call.signal?.throwIfAborted();
  const go = requireGo(goEnv);
  ensureGoCache(go.cache);
  await ensureBuildSpace(go.cache, name, deps);
  let [packages, tail] = [0, ''];
  const report = () => {
    const round = Math.floor(packages / REPORTED_PACKAGES) * REPORTED_PACKAGES;
    call.onWaiting?.(`Go to build ${name} ${version}${round > 0 ? ` (${round} packages so far)` : ''}`);
  };
  report();
  const argv = ['go', '-C', kubeModule(), 'build', '-v', '-trimpath', `-ldflags=${linkerFlags(version)}`] as const;
  const built = await deps.run(killedWithParent([...argv, '-o', output, GO_PACKAGES[name]]), {
    timeoutMs: BUILD_MS,
    env,
    signal: call.signal,
    onStderr: (text) => {
      // One package per line; an error comes last, maybe after the limit of the captured output.
      tail = (tail + text).slice(-TAIL_CHARS);
      packages += text.split('\n').length - 1;
      report();
    },
  });
  call.signal?.throwIfAborted();
  if (built.outcome === 'exited' && built.code === 0) return;
  const free = await deps.freeBytes(go.cache);
  throw new UserError(`could not build ${name} (${built.outcome}, code ${built.code}): ${tail.trim()}`, {
    code: 'cluster/build-failed',
    kept: `Partial files were removed; ${inMib(free)} are free in Go's build cache (${go.cache}).`,
    next: 'see above, then run the same command again; or give the programs with --programs DIR',
    exitCode: 1,
  });
}

function ensureGoCache(folder: string): void {
  try {
    ensureFolder(folder);
  } catch (cause) {
    throw new UserError(`cannot write to Go's build cache ${folder}: ${whyUnwritable(cause)}`, {
      code: 'cluster/go-cache-unwritable',
      kept: 'Nothing was built.',
      next: 'name a writable folder with GOCACHE',
      exitCode: 1,
      cause,
    });
  }
}

/** Without it a server reports v0.0.0, which charts refuse. */
function linkerFlags(version: string): string {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version)!;
  const stamps = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return [
    '-s -w',
    ...Object.entries(stamps).map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`),
  ].join(' ');
}

export async function ensureBuildSpace(
  folder: string,
  name: KubeProgram,
  { freeBytes }: Pick<ProgramBuildDeps, 'freeBytes'>,
): Promise<void> {
  const free = await freeBytes(folder);
  if (free >= NEEDED_BYTES) return;
  throw new UserError(`building ${name} needs ${inMib(NEEDED_BYTES)} under ${folder}; ${inMib(free)} are free`, {
    code: 'cluster/no-space',
    kept: 'Nothing was built.',
    next: 'free some space, set HEADSTART_CACHE and GOCACHE to folders on another disk, or give --programs DIR',
    exitCode: 1,
  });
}

const inMib = (bytes: number) => `${Math.floor(bytes / (1 << 20))} MiB`;
