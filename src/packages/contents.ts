// packages/contents.ts: which npm packages does a bundle contain, in which version and under which licence?
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export interface BundledPackage {
  name: string;
  version: string;
  /** As its package.json says, if it says one. */
  licence: string | undefined;
  /** Hex, of the archive that package-lock.json pins. */
  sha512: string | undefined;
}

interface Lock {
  packages: Record<string, { integrity?: string }>;
}

/** `modules`: the source files of the bundle. */
export function bundledPackages(root: string, modules: readonly string[]): BundledPackage[] {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as Lock;
  return packageFolders(root, modules).map((folder) => {
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as {
      name: string;
      version: string;
      license?: string;
    };
    return {
      name: manifest.name,
      version: manifest.version,
      licence: manifest.license,
      sha512: hexOf(lock.packages[folder]?.integrity),
    };
  });
}

/** Relative to `root`, as package-lock.json names them, sorted. */
export function packageFolders(root: string, modules: readonly string[]): string[] {
  const folders = modules.map((id) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(relative(root, id))?.[0]);
  return [...new Set(folders.filter((folder) => folder !== undefined))].sort();
}

/** `sha512-BASE64` → hex */
export function hexOf(integrity: string | undefined): string | undefined {
  const [, base64] = /^sha512-([\w+/]+=*)$/.exec(integrity ?? '') ?? [];
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64').toString('hex');
}
