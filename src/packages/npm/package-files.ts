// packages/npm/package-files.ts: which files does the npm package consist of? The bundle, the first file, and a package.json of its own.
import { readFileSync } from 'node:fs';
import type { Bundle } from '../../container/bundle.ts';
import type { LayerFile } from '../../container/layer.ts';
import type { Product } from '../product.ts';

/**
 * No dependencies, no scripts: installing it copies files. No "type", because the first file is CommonJS without an extension.
 * kubectl finds its plugin by the two other names.
 */
export function npmManifest({ name, version, description, license, engines }: Product): Record<string, unknown> {
  return {
    name,
    version,
    description,
    license,
    bin: Object.fromEntries([name, `kubectl-${name}`, `kubectl_complete-${name}`].map((command) => [command, name])),
    engines,
    keywords: ['kubernetes', 'boot', 'systemd', 'cloud-init', 'node', 'azure'],
  };
}

export function npmFiles(product: Product, { chunks, files, licences }: Bundle): LayerFile[] {
  return [
    { path: product.name, bytes: firstFile(), isExecutable: true },
    text('package.json', `${JSON.stringify(npmManifest(product), null, 2)}\n`),
    text('README.md', readme(product)),
    text('LICENSE', product.licenceText),
    text('LICENSES-OF-DEPENDENCIES.txt', licences),
    ...chunks,
    ...files,
  ];
}

function firstFile(): Uint8Array {
  return readFileSync(new URL('./first-file.cjs', import.meta.url));
}

/** Names the file: no package of this name is published, so another person could publish one. */
function readme({ name, version, description, engines }: Product): string {
  return `# ${name}

${description}.

Needs Linux and Node.js ${engines.node}.

    npx --package=./${name}-${version}.tgz ${name} boot timeline boot.tar.gz
    npm install --global --prefix ~/.local ./${name}-${version}.tgz
    ${name} --help

On a node, \`${name} boot collect -o boot.tar.gz\` collects what the boot verbs read.
`;
}

function text(path: string, content: string): LayerFile {
  return { path, bytes: Buffer.from(content), isExecutable: false };
}
