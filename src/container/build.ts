// container/build.ts: builds the container image without a container engine: `node src/container/build.ts [FOLDER]`.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { runCommand } from '../base/command.ts';
import { exitCodeOf, renderError, UserError } from '../base/errors.ts';
import { bundle } from './bundle.ts';
import { DEBIAN_PACKAGES } from './debian-files.ts';
import { fetchDebian } from './fetch-debian.ts';
import { ENTRYPOINT, ENVIRONMENT, programFiles, type Runtime, runtimeFiles, USER_ID } from './image-files.ts';
import { layerOf } from './layer.ts';
import { type OciImage, ociImageOf } from './oci-image.ts';
import { type ImagePlatform, imagePlatform } from './platform.ts';

const ROOT = join(import.meta.dirname, '../..');

/** Reproducible: the same sources, dependencies and Debian packages give the same bytes. */
export async function buildContainerImage(): Promise<OciImage> {
  const platform = imagePlatform(process.arch);
  const { version, license, description } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    version: string;
    license: string;
    description: string;
  };
  const [runtime, program] = await Promise.all([readRuntime(platform), bundle(ROOT)]);
  return ociImageOf({
    architecture: platform.architecture,
    layers: [layerOf(runtimeFiles(runtime, platform)), layerOf(programFiles(program))],
    entrypoint: ENTRYPOINT,
    env: ENVIRONMENT,
    user: `${USER_ID}:${USER_ID}`,
    labels: {
      'org.opencontainers.image.title': 'headstart',
      'org.opencontainers.image.description': description,
      'org.opencontainers.image.version': version,
      'org.opencontainers.image.licenses': license,
    },
    name: `headstart:${version}`,
  });
}

/** Replaces an existing layout. */
export function writeLayout(image: OciImage, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, bytes] of image.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

async function readRuntime(platform: ImagePlatform): Promise<Runtime> {
  const installed = join(ROOT, 'node_modules', platform.runtimePackage);
  const downloads = mkdtempSync(join(tmpdir(), 'headstart-image-'));
  try {
    return {
      node: readFileSync(join(installed, 'bin/node')),
      licence: readFileSync(join(installed, 'LICENSE')),
      packages: await fetchDebian(DEBIAN_PACKAGES, downloads, runCommand),
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new UserError(`the pinned runtime ${platform.runtimePackage} is not installed`, {
      code: 'container/no-runtime',
      next: 'run `make install`, then try again',
      cause: error,
    });
  } finally {
    rmSync(downloads, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const folder = process.argv[2] ?? join(ROOT, 'out/image');
  try {
    const image = await buildContainerImage();
    writeLayout(image, folder);
    process.stdout.write(`${folder}  ${image.digest}\n`);
  } catch (error) {
    process.stderr.write(`${renderError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
