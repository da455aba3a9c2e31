// cluster/local/programs.ts: where are the programs of one version of Kubernetes? In the cache, or built with Go from tools/kube, once.
import { accessSync, constants, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { RunCommand } from '../../base/command.ts';
import { UserError } from '../../base/errors.ts';
import type { CallOptions } from '../../vms/factory.ts';
import { programLock } from '../../vms/qemu/layout.ts';
import { withLock } from '../../vms/qemu/locks.ts';
import { dyingWithUs } from '../../vms/qemu/tools.ts';
import { requireGo } from './go-tool.ts';

/** The version in tools/kube/go.mod: the only one that can be built. */
export const BUILT_VERSION = 'v1.35.8';

const PACKAGES = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
  kubectl: 'k8s.io/kubernetes/cmd/kubectl',
  kubelet: 'k8s.io/kubernetes/cmd/kubelet',
} as const;
export type Program = keyof typeof PACKAGES;

/** What `cluster up` runs, and what its user asks it with. */
export const PLANE_PROGRAMS = [
  'etcd',
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'kubectl',
] as const;

export interface ProgramEdges {
  /** Of this user on this machine; see `cacheFolder`. */
  cache: string;
  env: Readonly<Record<string, string | undefined>>;
  run: RunCommand;
  freeBytes(folder: string): Promise<number>;
}

const MODULE = join(import.meta.dirname, '../../../tools/kube');
const BUILD_MS = 3 * 3_600_000;
const GO_ENV_MS = 60_000;
/** A program, and what Go writes beside it when it has built most of it before; from nothing it is three times as much. */
const NEEDED_BYTES = 1 << 30;
const TOLD_PACKAGES = 100;
const TAIL_CHARS = 2_000;

export function cacheFolder(env: ProgramEdges['env']): string {
  if (env.HEADSTART_CACHE) return resolve(env.HEADSTART_CACHE);
  const base = env.XDG_CACHE_HOME;
  return join(base && isAbsolute(base) ? base : join(env.HOME ?? homedir(), '.cache'), 'headstart');
}

export const programsFolder = (cache: string, version: string) => join(cache, 'kube', checkVersion(version));

/** `1.35.8` and `v1.35.8` alike. It becomes a folder and a stamp. */
export function checkVersion(text: string): string {
  const [, version] = /^v?(1\.\d{1,3}\.\d{1,3})$/.exec(text) ?? [];
  if (version !== undefined) return `v${version}`;
  throw new UserError(`${JSON.stringify(text)} is not a version of Kubernetes`, {
    code: 'cluster/bad-version',
    next: `give three numbers, as in ${BUILT_VERSION}`,
  });
}

/** Those that are not there yet. */
export function missingPrograms(folder: string, programs: readonly Program[]): Program[] {
  return programs.filter((name) => !isProgram(join(folder, name)));
}

/** The folder they are in. Whoever else wants the same one waits until it is built. */
export async function ensurePrograms(
  programs: readonly Program[],
  version: string,
  edges: ProgramEdges,
  call: CallOptions = {},
): Promise<string> {
  const folder = programsFolder(edges.cache, version);
  const missing = missingPrograms(folder, programs);
  if (missing.length > 0 && checkVersion(version) !== BUILT_VERSION) throw cannotBuild(version);
  for (const name of missing) await ensureProgram(name, version, edges, call);
  return folder;
}

/** A real kubelet. Other patch versions than ours are the same program under another name: enough for images to differ by it. */
export async function ensureKubelet(version: string, edges: ProgramEdges, call: CallOptions = {}): Promise<string> {
  await ensureProgram('kubelet', version, edges, call);
  return join(programsFolder(edges.cache, version), 'kubelet');
}

async function ensureProgram(name: Program, version: string, edges: ProgramEdges, call: CallOptions): Promise<void> {
  const folder = programsFolder(edges.cache, version);
  const target = join(folder, name);
  if (isProgram(target)) return;
  mkdirSync(edges.cache, { recursive: true });
  await ensureRoom(edges.cache, name, edges);
  const lock = { name: programLock(checkVersion(version), name), why: `building ${name}` };
  await withLock(edges.cache, lock, call, async () => {
    if (isProgram(target)) return; // somebody else was faster
    mkdirSync(folder, { recursive: true });
    const partial = `.partial-${name}-`;
    // Nobody builds it now, so these were left by somebody who was killed.
    for (const old of readdirSync(folder).filter((entry) => entry.startsWith(partial)))
      rmSync(join(folder, old), { recursive: true });
    const temporary = mkdtempSync(join(folder, partial));
    try {
      await build(name, checkVersion(version), join(temporary, name), edges, call);
      renameSync(join(temporary, name), target);
    } finally {
      rmSync(temporary, { recursive: true, force: true });
    }
  });
}

/** Ten minutes of two cores for the API server when Go has built nothing yet. */
async function build(name: Program, version: string, output: string, edges: ProgramEdges, call: CallOptions) {
  const env = { ...edges.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' };
  const asked = await edges.run(['go', 'env', '-json', 'GOVERSION', 'GOCACHE'], {
    env,
    timeoutMs: GO_ENV_MS,
    signal: call.signal,
  });
  call.signal?.throwIfAborted();
  const go = requireGo(asked);
  mkdirSync(go.cache, { recursive: true });
  await ensureRoom(go.cache, name, edges);
  let [packages, tail] = [0, ''];
  const tell = () => {
    const round = Math.floor(packages / TOLD_PACKAGES) * TOLD_PACKAGES;
    call.onWaiting?.(`Go to build ${name} ${version}${round > 0 ? ` (${round} packages so far)` : ''}`);
  };
  tell();
  const argv = ['go', '-C', MODULE, 'build', '-v', '-trimpath', `-ldflags=${linkerFlags(version)}`] as const;
  const built = await edges.run(dyingWithUs([...argv, '-o', output, PACKAGES[name]]), {
    timeoutMs: BUILD_MS,
    env,
    signal: call.signal,
    onStderr: (text) => {
      // A name a line; an error comes last, when the limit of what is kept may have been reached.
      tail = (tail + text).slice(-TAIL_CHARS);
      packages += text.split('\n').length - 1;
      tell();
    },
  });
  call.signal?.throwIfAborted();
  if (built.outcome === 'exited' && built.code === 0) return;
  const free = await edges.freeBytes(go.cache);
  throw new UserError(`${name} was not built (${built.outcome}, code ${built.code}): ${tail.trim()}`, {
    code: 'cluster/build-failed',
    kept: `Nothing was left behind; ${inMib(free)} are free where Go builds (${go.cache}).`,
    next: 'see above, then run the same command again; or give the programs with --programs DIR',
    exitCode: 1,
  });
}

/** Without the version a server calls itself v0.0.0, and charts refuse it. */
function linkerFlags(version: string): string {
  const [, major, minor] = /^v(\d+)\.(\d+)\./.exec(version)!;
  const stamps = { gitVersion: version, gitMajor: major, gitMinor: minor };
  return [
    '-s -w',
    ...Object.entries(stamps).map(([key, value]) => `-X k8s.io/component-base/version.${key}=${value}`),
  ].join(' ');
}

async function ensureRoom(folder: string, name: Program, { freeBytes }: ProgramEdges): Promise<void> {
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

function cannotBuild(version: string): UserError {
  return new UserError(
    `the programs of Kubernetes ${version} are not at hand, and only ${BUILT_VERSION} can be built`,
    {
      code: 'cluster/no-programs',
      kept: 'Nothing was started.',
      next: `leave out --kubernetes, or give a folder with the programs of ${version}: --programs DIR`,
    },
  );
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
