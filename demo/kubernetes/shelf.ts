// demo/kubernetes/shelf.ts: one folder with everything that a generic node downloads: packages, kubelet, container images.
import { mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

export interface Supply {
  packages: readonly string[];
  packagesFolder: string;
  kubelet: string;
  /** Archives, by their names on the server. */
  images: Readonly<Record<string, string>>;
}

export const KUBELET = 'kubelet';

/** Links, because the files are large. */
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
