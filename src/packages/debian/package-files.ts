// packages/debian/package-files.ts: what does the Debian package contain? The executable, manual pages, completions, licences.
import { gzipSync } from 'node:zlib';
import { renderBash, renderFish, renderZsh } from '../../cli/output/completion-script.ts';
import type { LayerFile } from '../../container/layer.ts';
import type { Product } from '../product.ts';
import { MTIME } from './deb.ts';

const PATH = '/usr/bin/headstart';
const MAINTAINER = 'headstart maintainers <maintainers@headstart.dev>';

export interface DebianContent {
  product: Product;
  architecture: 'amd64' | 'arm64';
  executable: Uint8Array;
  /** Licence texts of Node.js and of the packages in the executable. */
  licences: string;
  /** File name → text. */
  manPages: ReadonlyMap<string, string>;
  changelog: string;
}

export function debianControl({ product, architecture }: DebianContent): Record<string, string> {
  return {
    Package: product.name,
    Version: product.version,
    Architecture: architecture,
    Maintainer: MAINTAINER,
    'Installed-Size': '0',
    // What the Node.js inside needs: GLIBC_2.28, GLIBCXX_3.4.21, GCC_3.4.
    Depends: 'libc6 (>= 2.28), libstdc++6 (>= 5.1), libgcc-s1',
    Suggests: 'openssh-client, qemu-system-x86, qemu-utils, xz-utils',
    Section: 'admin',
    Priority: 'optional',
    Description: `boot analysis and images for Kubernetes nodes on VM pools\n${DESCRIPTION}`,
  };
}

const DESCRIPTION = `headstart shows where the time goes between "give me a node" and Node Ready,
and makes the next node faster: it analyses boots, bakes the best node of a
pool into an image, builds node images and configures nodes.
.
This package contains one executable with its own Node.js.`;

export function debianFiles(content: DebianContent): LayerFile[] {
  const { product, executable, licences, manPages, changelog } = content;
  const doc = `usr/share/doc/${product.name}`;
  return [
    { path: PATH.slice(1), bytes: executable, isExecutable: true },
    ...[...manPages].map(([name, text]) => zipped(`usr/share/man/man1/${name}.gz`, text)),
    plain('usr/share/bash-completion/completions/headstart', renderBash(PATH)),
    plain('usr/share/zsh/vendor-completions/_headstart', renderZsh(PATH)),
    plain('usr/share/fish/vendor_completions.d/headstart.fish', renderFish(PATH)),
    plain(`${doc}/copyright`, copyright(product)),
    zipped(`${doc}/changelog.gz`, debianChangelog(product)),
    zipped(`${doc}/CHANGELOG.md.gz`, changelog),
    zipped(`${doc}/LICENSES-OF-DEPENDENCIES.txt.gz`, licences),
  ];
}

function copyright({ name, license }: Product): string {
  return `Copyright (C) 2026 the ${name} authors. Licence: ${license}.
On Debian systems, its text is in /usr/share/common-licenses/Apache-2.0.

The executable contains Node.js and npm packages: LICENSES-OF-DEPENDENCIES.txt.gz in this folder has their licences.
`;
}

/** In the form that Debian's tools read; what changed is in CHANGELOG.md. */
function debianChangelog({ name, version }: Product): string {
  const date = new Date(MTIME * 1000).toUTCString().replace('GMT', '+0000');
  return `${name} (${version}) unstable; urgency=medium

  * ${version}: see CHANGELOG.md.gz.

 -- ${MAINTAINER}  ${date}
`;
}

/** Without a time, as \`gzip -n\`. */
function zipped(path: string, text: string): LayerFile {
  return { path, bytes: gzipSync(text, { level: 9 }), isExecutable: false };
}

function plain(path: string, text: string): LayerFile {
  return { path, bytes: Buffer.from(text), isExecutable: false };
}
