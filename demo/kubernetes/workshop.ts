// demo/kubernetes/workshop.ts: what the demo prepares before the first node: a base image, packages, kubelet, container images, a node image, a
// server, and a separate home for pools and their cluster; and removes afterwards.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureTestImages, type TestImages } from '../../e2e/labs/test-images.ts';
import { cacheFolder } from '../../e2e/programs/ensure-helm.ts';
import { ensureImage } from '../../e2e/programs/ensure-image.ts';
import { ensureKubelet } from '../../e2e/programs/ensure-kube.ts';
import { type FileServer, serveFiles } from '../serve-files.ts';
import { openStage } from '../stage.ts';
import { ensureSupplies } from '../workshop.ts';
import { fillShelf } from './shelf.ts';

export const CLUSTER = 'lab';
const root = fileURLToPath(new URL('../..', import.meta.url));

export interface KubeWorkshop {
  home: string;
  /** `1.35.8` */
  kubernetes: string;
  packages: readonly string[];
  images: TestImages;
  /** As `headstart image build` left it. */
  imageFolder: string;
  server: FileServer;
  close(): Promise<void>;
}

/** One fixed home per checkout, so that the next run removes what a killed one left. */
export function homeOf(what: string, tree: string): string {
  return join(cacheFolder(), `${what}-${createHash('sha256').update(tree).digest('hex').slice(0, 8)}`);
}

/** Empties `home` first: a killed run may have left VMs in it. */
export async function openKubeWorkshop(home: string, signal: AbortSignal): Promise<KubeWorkshop> {
  await clearHome(home);
  const { packages, packagesFolder, furnish } = await ensureSupplies(signal);
  const [images, kubelet] = [await ensureTestImages(), await ensureKubelet()];
  const { folder: imageFolder, kubernetes } = await ensureImage();
  signal.throwIfAborted();
  mkdirSync(home, { recursive: true, mode: 0o700 });
  furnish(home);
  const shelf = join(home, 'shelf');
  const archives = Object.fromEntries(
    Object.entries(images).map(([name, { archive }]) => [archiveName(name), archive]),
  );
  fillShelf(shelf, { packages, packagesFolder, kubelet, images: archives });
  const server = await serveFiles(shelf);
  const close = async () => {
    await server.close();
    await clearHome(home);
  };
  return { home, kubernetes, packages, images, imageFolder, server, close };
}

export const archiveName = (image: string) => `${image}.tar`;

/** Uses the public commands; if they fail, the home stays for inspection. */
async function clearHome(home: string): Promise<void> {
  if (!existsSync(home)) return;
  const { ask } = openStage({ root, folder: home, home, signal: new AbortController().signal });
  const { pools }: { pools: { name: string }[] } = JSON.parse(await ask('pool', 'list', '--json'));
  for (const { name } of pools) await ask('pool', 'delete', name, '--yes');
  if (existsSync(join(home, 'clusters', CLUSTER))) await ask('cluster', 'down', '--name', CLUSTER, '--delete', '--yes');
  rmSync(home, { recursive: true, force: true });
}
