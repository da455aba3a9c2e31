// demo/kubernetes/shelf.ts: one folder with all that a generic node fetches: packages, kubelet, container images, under the names it asks for.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

export interface Supply {
  packages: readonly string[];
  packagesFolder: string;
  kubelet: string;
  /** Archives, by the names that they get here. */
  images: Readonly<Record<string, string>>;
}

export const KUBELET = 'kubelet';

/** Links: what they lead to is large, and stays where it is. */
export function fillShelf(folder: string, { packages, packagesFolder, kubelet, images }: Supply): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = {
    ...Object.fromEntries(packages.map((name) => [name, join(packagesFolder, name)])),
    ...images,
    [KUBELET]: kubelet,
  };
  for (const [name, file] of Object.entries(files)) symlinkSync(file, join(folder, name));
}
