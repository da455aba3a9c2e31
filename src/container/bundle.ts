// container/bundle.ts: the program and its dependencies as a few files that start fast.
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { licencesOf } from '../base/licences.ts';
import type { LayerFile } from './layer.ts';

/** Name of the bundled file → the source it starts from. */
const ENTRIES = { headstart: 'src/cli/bin.ts', 'copy-host-file': 'src/container/copy-host-file.ts' };
const SOURCE_FOLDERS = ['src', 'sims'];

/** Paths are relative to the folder the program is installed in. */
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
      ...filesBesideSources(root),
      plainFile('package.json', readFileSync(join(root, 'package.json'))),
      plainFile('LICENSE', readFileSync(join(root, 'LICENSE'))),
      plainFile('LICENSES-OF-DEPENDENCIES.txt', licencesOf(chunks.flatMap((chunk) => chunk.moduleIds))),
    ];
  } finally {
    await build.close();
  }
}

/** The simulator's referee and the like: never part of what is shipped, and only loaded by those who ask for it. */
function developmentPackages(root: string): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return Object.keys(manifest.devDependencies);
}

/**
 * Sources read files beside themselves (a page's style, a script for the node). All bundled files lie in one folder with
 * the sources' folders under it, so each source goes on believing that it is where it was.
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

/** All that is not a test: a list of the files that are read at run time would go stale, and all of them are small. */
function filesBesideSources(root: string): LayerFile[] {
  return SOURCE_FOLDERS.flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !/(^|\/)(fixtures|testing)\/|[./-](test|testing|contract)\.ts$|\.md$/.test(path))
    .map((path) => plainFile(path, readFileSync(join(root, path))));
}

function plainFile(path: string, content: string | Uint8Array): LayerFile {
  return { path, bytes: typeof content === 'string' ? Buffer.from(content) : content, isExecutable: false };
}
