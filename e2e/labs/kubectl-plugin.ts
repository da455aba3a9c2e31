// e2e/labs/kubectl-plugin.ts: the real kubectl with headstart as its plugin, and an image with nsenter for the plugin's pod.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, readFileSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Argv, runCommand } from '../../src/base/command.ts';
import type { LayerFile } from '../../src/container/layer.ts';
import { ensurePlanePrograms } from '../programs/ensure-kube.ts';
import { ensureArchive, type TestImage } from './test-images.ts';

export interface KubectlOutput {
  code: number | null;
  stdout: string;
  stderr: string;
}

export type RunKubectl = (...args: string[]) => Promise<KubectlOutput>;

const CALL_MS = 10 * 60_000;

/** `folder`: gets the links that kubectl finds. */
export async function kubectlWithPlugin(root: string, folder: string, kubeconfig: string): Promise<RunKubectl> {
  const programs = await ensurePlanePrograms();
  for (const name of ['kubectl-headstart', 'kubectl_complete-headstart'])
    symlinkSync(join(root, 'headstart'), join(folder, name));
  const env = {
    ...process.env,
    // A missing file first, as kubectl allows.
    KUBECONFIG: [join(folder, 'missing'), kubeconfig].join(delimiter),
    PATH: [folder, programs, process.env.PATH].join(delimiter),
  };
  return async (...args) => {
    const { code, stdout, stderr } = await runCommand([join(programs, 'kubectl'), ...args], {
      env,
      timeoutMs: CALL_MS,
    });
    return { code, stdout: stdout.toString(), stderr };
  };
}

/** This machine's nsenter with its libraries: there is no registry to pull an image from. */
export async function nsenterImage(): Promise<TestImage> {
  const program = '/usr/bin/nsenter';
  const libraries = [...(await output(['ldd', program])).matchAll(/(?:=> |^\s*)(\/\S+)/gm)].map(([, path]) => path!);
  const files = [...libraries, program].map(
    (path): LayerFile => ({ path: path.slice(1), bytes: readFileSync(path), isExecutable: true }),
  );
  return ensureArchive('images.headstart.dev/nsenter:1.0', [files], '0:0');
}

/** Into the containerd of a VM of a local pool. */
export function sideload(image: TestImage, at: { root: string; home: string; instance: string }): void {
  const load = ['ctr', '--namespace', 'k8s.io', 'images', 'import', '-'];
  const archive = openSync(image.archive, 'r'); // a file: `pool exec` does not take the socket that Node.js gives as a pipe
  try {
    const argv = ['pool', 'exec', '--home', at.home, at.instance, '--', ...load];
    execFileSync(join(at.root, 'headstart'), argv, { stdio: [archive, 'pipe', 'pipe'], timeout: CALL_MS });
  } finally {
    closeSync(archive);
  }
}

async function output(argv: Argv): Promise<string> {
  const { code, stdout, stderr } = await runCommand(argv);
  if (code !== 0) throw new Error(`${argv.join(' ')} failed: ${stderr}`);
  return stdout.toString();
}
