// packages/artefacts.ts: which files does a release consist of, and how is each made from the same bundle?
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../base/cache-folder.ts';
import { runCommand } from '../base/command.ts';
import { renderManPages } from '../cli/reference/man-pages.ts';
import { buildContainerImage, replacedWarning } from '../container/build.ts';
import { bundleProgram } from '../container/bundle.ts';
import { buildChart } from '../container/chart/build.ts';
import { fetchRuntime } from '../container/fetch-runtime.ts';
import { imageArchive } from '../container/image-archive.ts';
import { type BundledPackage, bundledPackages, hexOf } from './contents.ts';
import { debOf } from './debian/deb.ts';
import { debianControl, debianFiles } from './debian/package-files.ts';
import { makeBlob, makeExecutable } from './executable/executable.ts';
import { packNpm } from './npm/pack.ts';
import { npmFiles } from './npm/package-files.ts';
import { readProduct } from './product.ts';
import { makeReleaseSbom } from './release-sbom.ts';
import { renderSums, sha256Of } from './sums.ts';

export interface Artefact {
  name: string;
  bytes: Uint8Array;
  mode: number;
}

/** Node's name of each processor architecture, and Debian's. */
const PLATFORMS = [
  { arch: 'x64', debian: 'amd64' },
  { arch: 'arm64', debian: 'arm64' },
] as const;

interface ReleaseSpec {
  /** The source tree. */
  root: string;
  /** For temporary files. */
  folder: string;
  onWarning: (text: string) => void;
}

/** All artefacts, then their checksums. Yields each as soon as it is made: an executable has a hundred megabytes. */
export async function* makeRelease(spec: ReleaseSpec): AsyncGenerator<Artefact> {
  const sums = new Map<string, string>();
  for (const make of [makePackages, makeImageAndChart])
    for await (const artefact of make(spec)) {
      sums.set(artefact.name, sha256Of(artefact.bytes));
      yield artefact;
    }
  yield { name: 'SHA256SUMS', bytes: Buffer.from(renderSums(sums)), mode: 0o644 };
}

async function* makePackages({ root, folder }: ReleaseSpec): AsyncGenerator<Artefact> {
  const product = readProduct(root);
  const name = `${product.name}-${product.version}`;
  const deps = { run: runCommand, folder };
  const modules = await bundleProgram(root, { kind: 'modules', extension: '.mjs' });
  yield { name: `${name}.tgz`, bytes: await packNpm(npmFiles(product, modules), deps), mode: 0o644 };

  const embedded = await bundleProgram(root, { kind: 'embedded', extension: '.js' });
  const manPages = await renderManPages(product.version);
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
  const blob = await makeBlob(product, embedded, deps);
  const runtimes: BundledPackage[] = [];
  for (const { arch, debian } of PLATFORMS) {
    const { node, licence, locked } = await fetchRuntime(`node-linux-${arch}`, root, {
      run: runCommand,
      cache: join(cacheFolder(process.env), 'runtimes'),
    });
    runtimes.push({ ...locked, licence: locked.license, sha512: hexOf(locked.integrity) });
    const executable = makeExecutable(Buffer.from(node), blob);
    yield { name: `${name}-linux-${arch}`, bytes: executable, mode: 0o755 };
    const licences = `== node\n\n${Buffer.from(licence).toString().trim()}\n\n${embedded.licences}`;
    const content = { product, architecture: debian, executable, licences, manPages, changelog };
    const deb = debOf({ control: debianControl(content), files: debianFiles(content) });
    yield { name: `${product.name}_${product.version}_${debian}.deb`, bytes: deb, mode: 0o644 };
  }
  const sbom = makeReleaseSbom(product, bundledPackages(root, [...modules.modules, ...embedded.modules]), runtimes);
  yield { name: `${name}.cdx.json`, bytes: Buffer.from(sbom), mode: 0o644 };
}

async function* makeImageAndChart({ root, onWarning }: ReleaseSpec): AsyncGenerator<Artefact> {
  const image = await buildContainerImage(root);
  for (const replaced of image.replaced) onWarning(replacedWarning(replaced));
  const archive = imageArchive(image, image.name);
  yield { name: `${image.name.replace(':', '-')}-image.tar`, bytes: archive, mode: 0o644 };
  for (const [name, bytes] of buildChart(image.digest, root).files) yield { name, bytes, mode: 0o644 };
}
