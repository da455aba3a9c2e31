// container/debian-files.ts: which files of Debian packages does the runtime need, and where do they go?
import { basename } from 'node:path';
import type { LayerFile } from './layer.ts';
import type { ImagePlatform } from './platform.ts';

export interface DebianPackage {
  name: string;
  version: string;
  /** Regular files by path, without a leading slash. */
  files: ReadonlyMap<string, Uint8Array>;
}

/** nsenter: a pod with this image uses it to enter the namespaces of a node. */
const PROGRAMS = ['nsenter'];

/**
 * The output of `ldd` for the pinned runtime, then for the programs. Since 2.34, glibc includes the resolver for files and DNS, so no
 * plug-in is needed; libdl and libpthread are empty since then, but programs still load them.
 */
const LIBRARIES = [
  ...['libc.so.6', 'libm.so.6', 'libstdc++.so.6', 'libgcc_s.so.1', 'libdl.so.2', 'libpthread.so.0'],
  ...['libselinux.so.1', 'libpcre2-8.so.0'],
];
/** After a change, renew the lock: `make image-lock`. */
export const DEBIAN_PACKAGES = [
  ...['libc6', 'libstdc++6', 'libgcc-s1', 'ca-certificates'],
  ...['util-linux', 'libselinux1', 'libpcre2-8-0'],
];

export function debianFiles(packages: readonly DebianPackage[], platform: ImagePlatform): LayerFile[] {
  const all = packages.flatMap(({ files }) => [...files]).sort(([a], [b]) => (a < b ? -1 : 1));
  return [
    { path: platform.linker, bytes: fileNamed(basename(platform.linker), all), isExecutable: true },
    ...LIBRARIES.map((name) => ({
      path: `${platform.libraryFolder}/${name}`,
      bytes: fileNamed(name, all),
      isExecutable: false,
    })),
    ...PROGRAMS.map((name) => ({ path: `usr/bin/${name}`, bytes: fileNamed(name, all), isExecutable: true })),
    { path: 'etc/ssl/certs/ca-certificates.crt', bytes: certificatesOf(all), isExecutable: false },
    ...all
      .filter(([path]) => /^usr\/share\/doc\/[^/]+\/copyright$/.test(path))
      .map(([path, bytes]) => ({ path, bytes, isExecutable: false })),
  ];
}

/** `libc.so.6` may be a link to a file with a longer name. The image has the file under the short name. */
function fileNamed(name: string, files: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const found = files.find(([path]) => {
    if (!/^(usr\/)?(lib|lib64|bin)\//.test(path)) return false;
    const file = basename(path);
    return file === name || (file.startsWith(`${name}.`) && /^[\d.]+$/.test(file.slice(name.length + 1)));
  });
  if (!found) throw new Error(`none of the Debian packages ${DEBIAN_PACKAGES.join(', ')} contains ${name}`);
  return found[1];
}

/** Debian creates this bundle when the package is installed. Create it here from the same files in the same order. */
function certificatesOf(files: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const certificates = files.filter(([path]) => /^usr\/share\/ca-certificates\/.+\.crt$/.test(path));
  if (certificates.length === 0) throw new Error('ca-certificates contains no certificate');
  return Buffer.concat(certificates.map(([, bytes]) => bytes));
}
