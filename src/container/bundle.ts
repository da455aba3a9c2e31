// container/bundle.ts: bundles the program and its dependencies into a few files that start fast.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { licencesOf } from '../base/licences.ts';
import type { LayerFile } from './layer.ts';

/** Name of the bundled file → its entry point. */
const ENTRIES = { headstart: 'src/cli/bin.ts', 'copy-host-file': 'src/container/copy-host-file.ts' };
const SOURCE_FOLDERS = ['src', 'sims'];

/** Paths are relative to the installation folder. */
export async function bundle(root: string): Promise<LayerFile[]> {
  const { rolldown } = await import('rolldown');
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(Object.entries(ENTRIES).map(([name, path]) => [name, join(root, path)])),
    platform: 'node',
    external: developmentPackages(root),
    plugins: [sourceLocations(root)],
    logLevel: 'silent',
  });
  try {
    const { output } = await build.generate({
      format: 'esm',
      minify: true,
      entryFileNames: '[name].js',
      chunkFileNames: '[name]-[hash].js',
    });
    const chunks = output.filter((file) => file.type === 'chunk');
    return [
      ...chunks.map((chunk) => plainFile(chunk.fileName, chunk.code)),
      ...filesNextToSources(root),
      plainFile('package.json', readFileSync(join(root, 'package.json'))),
      plainFile('LICENSE', readFileSync(join(root, 'LICENSE'))),
      plainFile('LICENSES-OF-DEPENDENCIES.txt', licencesOf(chunks.flatMap((chunk) => chunk.moduleIds))),
    ];
  } finally {
    await build.close();
  }
}

/** Not shipped: loaded only by commands for development, such as the simulator's referee. */
function developmentPackages(root: string): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return Object.keys(manifest.devDependencies);
}

/**
 * Sources read files next to themselves (a style sheet, a script for the node). The image has these files in the same folders below
 * the bundle, so import.meta.url is replaced with the original location of each source.
 */
function sourceLocations(root: string): Plugin {
  return {
    name: 'source-locations',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        const path = relative(root, id);
        if (!SOURCE_FOLDERS.some((folder) => path.startsWith(`${folder}/`))) return null;
        const own = `new URL(${JSON.stringify(`./${path}`)}, import.meta.url).href`;
        return { code: code.replaceAll('import.meta.url', own) };
      },
    },
  };
}

/** All files except tests. They are small, and a list of those needed at run time would become outdated. */
function filesNextToSources(root: string): LayerFile[] {
  return SOURCE_FOLDERS.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)(fixtures|testing)\/|[./-](test|testing|suite)\.ts$|\.md$/.test(path))
    .map((path) => plainFile(path, readFileSync(join(root, path))));
}

function plainFile(path: string, content: string | Uint8Array): LayerFile {
  return { path, bytes: typeof content === 'string' ? Buffer.from(content) : content, isExecutable: false };
}
