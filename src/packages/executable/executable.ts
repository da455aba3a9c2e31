// packages/executable/executable.ts: how do the bundle and Node.js become one executable for a platform?
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RunCommand } from '../../base/command.ts';
import { type EmbeddedIndex, INDEX, LOADER } from '../../base/own-files/embedded-files.ts';
import type { Bundle } from '../../container/bundle.ts';
import type { LayerFile } from '../../container/layer.ts';
import { prepareBlob, type SeaConfig, withBlob } from '../../node/build/sea.ts';
import type { Product } from '../product.ts';

/** A larger nursery spares most collections in a short life. */
const RUN_FLAGS = ['--max-semi-space-size=64', '--disable-warning=ExperimentalWarning'];
const OUTPUT = 'headstart.blob';

/**
 * The same for every processor architecture, so that one machine makes all executables: without V8's code cache, which saves less than
 * 10 ms on chunks that are loaded on demand.
 */
export function makeBlob(product: Product, bundle: Bundle, deps: { run: RunCommand; folder: string }): Promise<Buffer> {
  const assets = assetsOf(product, bundle);
  // Names of files without folders; the key of an asset is its path.
  const names = new Map([...assets.keys()].map((path, index) => [path, `${index}`]));
  const config: SeaConfig = {
    main: LOADER,
    output: OUTPUT,
    disableExperimentalSEAWarning: true,
    useCodeCache: false,
    execArgv: RUN_FLAGS,
    execArgvExtension: 'none',
    assets: Object.fromEntries(names),
  };
  const files = new Map([
    [LOADER, assets.get(LOADER)!],
    ...[...assets].map(([path, bytes]) => [names.get(path)!, bytes] as const),
  ]);
  return prepareBlob({ config, files, node: process.execPath, flags: [] }, deps);
}

export function makeExecutable(node: Buffer, blob: Buffer): Buffer {
  return withBlob(node, blob);
}

/** By path, sorted. */
export function assetsOf(product: Product, { chunks, files, licences }: Bundle): ReadonlyMap<string, Uint8Array> {
  const texts = {
    [LOADER]: readFileSync(new URL('./loader.cjs', import.meta.url)),
    [INDEX]: Buffer.from(JSON.stringify(indexOf(files))),
    'package.json': Buffer.from(JSON.stringify({ name: product.name, version: product.version })),
    'LICENSES-OF-DEPENDENCIES.txt': Buffer.from(licences),
  };
  const all = [...Object.entries(texts), ...[...chunks, ...files].map(({ path, bytes }) => [path, bytes] as const)];
  return new Map(all.sort(([a], [b]) => (a < b ? -1 : 1)));
}

export function indexOf(files: readonly LayerFile[]): EmbeddedIndex {
  const sorted = files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
  const hash = createHash('sha256');
  for (const { path, bytes, isExecutable } of sorted) {
    hash.update(`${path}\0${bytes.length}\0${isExecutable}\0`).update(bytes);
  }
  return {
    sha256: hash.digest('hex'),
    files: sorted.map(({ path, isExecutable }) => ({ path, isExecutable })),
  };
}
