// e2e/ensure-kube.ts: the real Kubernetes programs that e2e runs against: built or fetched once, then taken from a cache outside the tree.
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runCommand } from '../src/base/command.ts';
import type { PlaneBinaries } from '../src/cluster/local/plane.ts';
import { cacheFolder, ensureHelm, type HelmTools } from './ensure-helm.ts';

export interface KubeTools extends PlaneBinaries, HelmTools {}

/** The version in tools/kube/go.mod. */
const VERSION = 'v1.35.8';
const MODULE = join(import.meta.dirname, '../tools/kube');
const PROGRAMS = ['etcd', 'kube-apiserver', 'kube-controller-manager'];
const BUILD_MS = 90 * 60_000;

type Tell = (line: string) => void;

/** Nothing is built or fetched: is all of it in the cache already? */
export function isKubeAtHand(): boolean {
  return PROGRAMS.every((name) => existsSync(join(cacheFolder(), 'kube', VERSION, name)));
}

export async function ensureKube(tell: Tell = console.error): Promise<KubeTools> {
  const folder = join(cacheFolder(), 'kube', VERSION);
  mkdirSync(folder, { recursive: true });
  const tools: KubeTools = {
    etcd: join(folder, 'etcd'),
    apiServer: join(folder, 'kube-apiserver'),
    controllerManager: join(folder, 'kube-controller-manager'),
    ...(await ensureHelm()),
  };
  if (!existsSync(tools.etcd)) await build(folder, 'etcd', 'go.etcd.io/etcd/server/v3', tell);
  for (const name of ['kube-apiserver', 'kube-controller-manager']) {
    if (!existsSync(join(folder, name))) await build(folder, name, `k8s.io/kubernetes/cmd/${name}`, tell);
  }
  return tools;
}

/** A real kubelet. Other patch versions than ours are the same program under another name: enough for images to differ by it. */
export async function ensureKubelet(version = VERSION, tell: Tell = console.error): Promise<string> {
  const folder = join(cacheFolder(), 'kube', version);
  mkdirSync(folder, { recursive: true });
  const kubelet = join(folder, 'kubelet');
  if (!existsSync(kubelet)) await build(folder, 'kubelet', 'k8s.io/kubernetes/cmd/kubelet', tell, version);
  return kubelet;
}

/** Ten minutes of two cores for the API server, once. */
async function build(
  folder: string,
  name: string,
  packagePath: string,
  tell: Tell,
  version: string = VERSION,
): Promise<void> {
  tell(`building ${name} for Kubernetes ${version} (once, a few minutes; kept in ${folder})`);
  const temporary = mkdtempSync(join(folder, '.build-'));
  // Without the stamp the server calls itself v0.0.0, and charts refuse it.
  const stamp = `-X k8s.io/component-base/version.gitVersion=${version} -X k8s.io/component-base/version.gitMajor=1 -X k8s.io/component-base/version.gitMinor=35`;
  let packages = 0;
  try {
    const built = await runCommand(
      [
        'go',
        '-C',
        MODULE,
        'build',
        '-v',
        '-trimpath',
        `-ldflags=-s -w ${stamp}`,
        '-o',
        join(temporary, name),
        packagePath,
      ],
      {
        timeoutMs: BUILD_MS,
        env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local' },
        onStderr: (text) => {
          const before = packages;
          packages += text.split('\n').length - 1;
          if (Math.floor(before / 100) < Math.floor(packages / 100)) tell(`  ${name}: ${packages} packages`);
        },
      },
    );
    if (built.outcome === 'missing')
      throw new Error('the e2e tests of the cluster need Go 1.26 or newer to build Kubernetes');
    if (built.code !== 0) throw new Error(`${name} was not built (${built.outcome}): ${built.stderr.slice(-2000)}`);
    renameSync(join(temporary, name), join(folder, name));
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log(JSON.stringify({ ...(await ensureKube()), kubelet: await ensureKubelet() }, null, 2));
