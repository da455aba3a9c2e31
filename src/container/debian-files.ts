// container/debian-files.ts: which files of Debian's packages does the runtime need, and where do they go?
import { basename } from 'node:path';
import type { LayerFile } from './layer.ts';
import type { ImagePlatform } from './platform.ts';

export interface DebianPackage {
  name: string;
  version: string;
  /** Regular files, by path from the root. */
  files: ReadonlyMap<string, Uint8Array>;
}

/** How the chart's run enters a node's own namespaces: the pod that does it is made from this same image. */
const PROGRAMS = ['nsenter'];

/**
 * What `ldd` says of the pinned runtime, then of the programs. glibc has the resolver for files and DNS inside since 2.34, so no plug-in is
 * needed; libdl and libpthread are empty shells since then that programs still ask for.
 */
const LIBRARIES = [
  ...['libc.so.6', 'libm.so.6', 'libstdc++.so.6', 'libgcc_s.so.1', 'libdl.so.2', 'libpthread.so.0'],
  ...['libselinux.so.1', 'libpcre2-8.so.0'],
];
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

/** The name programs ask for may be a link to a file with a longer one; the file is shipped under the name asked for. */
function fileNamed(name: string, files: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const found = files.find(([path]) => {
    if (!/^(usr\/)?(lib|lib64|bin)\//.test(path)) return false;
    const file = basename(path);
    return file === name || (file.startsWith(`${name}.`) && /^[\d.]+$/.test(file.slice(name.length + 1)));
  });
  if (!found) throw new Error(`no Debian package among ${DEBIAN_PACKAGES.join(', ')} holds ${name}`);
  return found[1];
}

/** The bundle is made when the package is installed; here it is made from the same files in the same order. */
function certificatesOf(files: readonly (readonly [string, Uint8Array])[]): Uint8Array {
  const certificates = files.filter(([path]) => /^usr\/share\/ca-certificates\/.+\.crt$/.test(path));
  if (certificates.length === 0) throw new Error('ca-certificates holds no certificate');
  return Buffer.concat(certificates.map(([, bytes]) => bytes));
}
