// container/image-files.ts: what does the image contain? The runtime with its libraries, and the program; no shell, no package manager.
import { type DebianPackage, debianFiles } from './debian-files.ts';
import type { LayerFile } from './layer.ts';
import type { ImagePlatform } from './platform.ts';

export const USER_ID = 65532;
export const NODE_PATH = 'usr/bin/node';
export const PROGRAM_FOLDER = 'opt/headstart';
// Reports use stripTypeScriptTypes, for which Node prints an experimental warning.
export const ENTRYPOINT = [
  `/${NODE_PATH}`,
  '--disable-warning=ExperimentalWarning',
  `/${PROGRAM_FOLDER}/headstart.js`,
] as const;
export const ENVIRONMENT = {
  PATH: '/usr/bin',
  HOME: '/',
  SSL_CERT_FILE: '/etc/ssl/certs/ca-certificates.crt',
} as const;

export interface Runtime {
  node: Uint8Array;
  licence: Uint8Array;
  packages: readonly DebianPackage[];
}

/** A separate layer because it changes rarely: machines that have it pull only the program's layer. */
export function runtimeFiles({ node, licence, packages }: Runtime, platform: ImagePlatform): LayerFile[] {
  return [
    { path: NODE_PATH, bytes: node, isExecutable: true },
    { path: 'usr/share/doc/node/LICENSE', bytes: licence, isExecutable: false },
    ...debianFiles(packages, platform),
    text(
      'etc/passwd',
      `root:x:0:0:root:/:/sbin/nologin\nheadstart:x:${USER_ID}:${USER_ID}:headstart:/:/sbin/nologin\n`,
    ),
    text('etc/group', `root:x:0:\nheadstart:x:${USER_ID}:\n`),
    text('etc/nsswitch.conf', 'passwd: files\ngroup: files\nhosts: files dns\n'),
    // Lets people and scanners see which package versions are included.
    text('usr/share/headstart/packages.txt', packages.map(({ name, version }) => `${name} ${version}\n`).join('')),
  ];
}

export function programFiles(bundled: readonly LayerFile[]): LayerFile[] {
  return bundled.map((file) => ({ ...file, path: `${PROGRAM_FOLDER}/${file.path}` }));
}

function text(path: string, content: string): LayerFile {
  return { path, bytes: Buffer.from(content), isExecutable: false };
}
