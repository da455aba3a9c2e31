// container/build.ts: builds the container image without a container engine: `node src/container/build.ts [FOLDER]`.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cacheFolder } from '../base/cache-folder.ts';
import { runCommand } from '../base/command.ts';
import { exitCodeOf, renderError } from '../base/errors.ts';
import { bundle } from './bundle.ts';
import { fetchRuntime } from './fetch-runtime.ts';
import { imageArchive } from './image-archive.ts';
import { ENTRYPOINT, ENVIRONMENT, programFiles, type Runtime, runtimeFiles, USER_ID } from './image-files.ts';
import { layerOf } from './layer.ts';
import { fetchLockedPackages, LOCK_FILE, type PackageLock } from './locked-packages.ts';
import { joinPlatforms } from './multi-platform.ts';
import { type OciImage, ociImageOf } from './oci-image.ts';
import { IMAGE_PLATFORMS, type ImagePlatform } from './platform.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface ProgramImage extends OciImage {
  /** `headstart:VERSION` */
  name: string;
  /** One line for each locked Debian package that is no longer offered: the image has a newer one. */
  replaced: readonly string[];
}

/** Reproducible: the same sources and locks give the same bytes on any machine, unless `replaced` names a package. */
export async function buildContainerImage(root = ROOT): Promise<ProgramImage> {
  const { version, license, description } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    version: string;
    license: string;
    description: string;
  };
  const name = `headstart:${version}`;
  const [program, ...runtimes] = await Promise.all([
    bundle(root),
    ...IMAGE_PLATFORMS.map((platform) => readRuntime(platform, root)),
  ]);
  const programLayer = layerOf(programFiles(program));
  const images = IMAGE_PLATFORMS.map((platform, index) =>
    ociImageOf({
      architecture: platform.architecture,
      layers: [layerOf(runtimeFiles(runtimes[index]!, platform)), programLayer],
      entrypoint: ENTRYPOINT,
      env: ENVIRONMENT,
      user: `${USER_ID}:${USER_ID}`,
      labels: {
        'org.opencontainers.image.title': 'headstart',
        'org.opencontainers.image.description': description,
        'org.opencontainers.image.version': version,
        'org.opencontainers.image.licenses': license,
      },
      name,
    }),
  );
  const replaced = [...new Set(runtimes.flatMap((runtime) => runtime.replaced))];
  return { ...joinPlatforms(images, name), name, replaced };
}

/** Of one line of `replaced`. */
export const replacedWarning = (line: string) => `Debian has ${line}; \`make image-lock\` pins what it has now`;

/** The layout in `folder`, and the archive next to it. Replaces existing ones. */
export function writeImage(image: ProgramImage, folder: string): { archive: string } {
  writeLayout(image, folder);
  const archive = `${folder}.tar`;
  writeFileSync(archive, imageArchive(image, image.name));
  return { archive };
}

/** Replaces an existing layout. */
export function writeLayout(image: Pick<OciImage, 'files'>, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [path, bytes] of image.files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), bytes);
  }
}

async function readRuntime(platform: ImagePlatform, root: string): Promise<Runtime & { replaced: string[] }> {
  const { architecture, runtimePackage } = platform;
  const cache = cacheFolder(process.env);
  const lock = JSON.parse(readFileSync(LOCK_FILE, 'utf8')) as PackageLock;
  const [runtime, locked] = await Promise.all([
    fetchRuntime(runtimePackage, root, { run: runCommand, cache: join(cache, 'runtimes') }),
    fetchLockedPackages(lock[architecture], {
      run: runCommand,
      cache: join(cache, 'debian'),
      architecture: isOwn(platform) ? undefined : architecture,
    }),
  ]);
  return { ...runtime, ...locked };
}

function isOwn({ architecture }: ImagePlatform): boolean {
  return architecture === (process.arch === 'x64' ? 'amd64' : process.arch);
}

if (import.meta.main) {
  const folder = process.argv[2] ?? join(ROOT, 'out/image');
  try {
    const image = await buildContainerImage();
    const { archive } = writeImage(image, folder);
    for (const line of image.replaced) process.stderr.write(`warning: ${replacedWarning(line)}\n`);
    process.stdout.write(`${folder}  ${image.digest}\n${archive}  ${image.name}\n`);
  } catch (error) {
    process.stderr.write(`${renderError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
