// container/bundle.ts: bundles the program and its dependencies into a few files that start fast: for the container image and src/packages.
import { readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import type { Plugin } from 'rolldown';
import { licencesOf } from '../base/licences.ts';
import { EMBEDDED } from '../base/own-files/embedded-files.ts';
import { pageScript, pageStyle } from '../boot/render/report/assets.ts';
import type { LayerFile } from './layer.ts';
import { type OwnProgram, ownPrograms, SOURCE_FOLDERS, shippedSources } from './own-programs.ts';

/**
 * modules: chunks find each other and their files on the disk. embedded: chunks are CommonJS scripts inside an executable, and the URLs
 * of their files have a scheme of their own (base/own-files/own-files.ts).
 */
export type BundleKind = 'modules' | 'embedded';

export interface BundleRequest {
  kind: BundleKind;
  /** `.mjs` where package.json does not say `"type": "module"`. */
  extension: '.js' | '.mjs';
  /** Programs besides the command line: name → source. */
  more?: Readonly<Record<string, string>>;
}

export interface Bundle {
  chunks: LayerFile[];
  /** Scripts, style sheets and others that sources read, at the same paths as in the repository. */
  files: LayerFile[];
  /** Licence texts of the packages in the chunks. */
  licences: string;
  /** All source files in the chunks. */
  modules: string[];
  /** By chunk: the chunks, modules of Node.js and packages that it imports, at once or when they are needed. */
  imports: ReadonlyMap<string, readonly string[]>;
}

const CONTAINER: BundleRequest = {
  kind: 'modules',
  extension: '.js',
  more: { 'copy-host-file': 'src/container/copy-host-file.ts' },
};

/** For the container image. Paths are relative to the installation folder. */
export async function bundle(root: string): Promise<LayerFile[]> {
  const { chunks, files, licences } = await bundleProgram(root, CONTAINER);
  return [
    ...chunks,
    ...files,
    plainFile('package.json', readFileSync(join(root, 'package.json'))),
    plainFile('LICENSE', readFileSync(join(root, 'LICENSE'))),
    plainFile('LICENSES-OF-DEPENDENCIES.txt', licences),
  ];
}

export async function bundleProgram(root: string, request: BundleRequest): Promise<Bundle> {
  const { rolldown } = await import('rolldown');
  const programs = ownPrograms(root);
  const entries = [...programs, ...Object.entries(request.more ?? {}).map(([name, source]) => ({ name, source }))];
  const build = await rolldown({
    cwd: root,
    input: Object.fromEntries(entries.map(({ name, source }) => [name, join(root, source)])),
    platform: 'node',
    external: developmentPackages(root),
    plugins: [pageAssets(root), sourceLocations(root, programs, request)],
    logLevel: 'silent',
  });
  try {
    const { output } = await build.generate({
      format: request.kind === 'modules' ? 'esm' : 'cjs',
      minify: true,
      entryFileNames: `[name]${request.extension}`,
      chunkFileNames: `[name]-[hash]${request.extension}`,
    });
    const chunks = output.filter((file) => file.type === 'chunk');
    const modules = chunks.flatMap((chunk) => chunk.moduleIds);
    return {
      chunks: chunks.map((chunk) => plainFile(chunk.fileName, chunk.code)),
      files: shippedSources(root).map((path) => fileOf(root, path)),
      licences: licencesOf(modules),
      modules,
      imports: new Map(
        chunks.map(({ fileName, imports, dynamicImports }) => [fileName, [...imports, ...dynamicImports]]),
      ),
    };
  } finally {
    await build.close();
  }
}

/** Not shipped: loaded only by commands for development. */
function developmentPackages(root: string): string[] {
  const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    devDependencies: Record<string, string>;
  };
  return Object.keys(manifest.devDependencies);
}

/** The script of a report is made of TypeScript sources. Make it now, so that these need not be shipped. */
function pageAssets(root: string): Plugin {
  return {
    name: 'page-assets',
    load(id) {
      if (relative(root, id) !== 'src/boot/render/report/assets.ts') return null;
      const constant = (name: string, text: string) => `export const ${name} = () => ${JSON.stringify(text)};\n`;
      return constant('pageStyle', pageStyle()) + constant('pageScript', pageScript());
    },
  };
}

/** Sources name their files and programs by `new URL(…, import.meta.url)`. In a bundle, their own URL is another one. */
function sourceLocations(root: string, programs: readonly OwnProgram[], { kind, extension }: BundleRequest): Plugin {
  const place = (path: string) =>
    kind === 'modules'
      ? `new URL(${JSON.stringify(`./${path}`)}, import.meta.url)`
      : `new URL(${JSON.stringify(`${EMBEDDED}///${path}`)})`;
  return {
    name: 'source-locations',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        const path = relative(root, id);
        if (!SOURCE_FOLDERS.some((folder) => path.startsWith(`${folder}/`))) return null;
        const byText = new Map<string, string>([
          ['import.meta.url', `${place(path)}.href`],
          ...programs.flatMap(({ name, calls }) =>
            calls.filter(({ from }) => from === path).map(({ text }) => [text, place(name + extension)] as const),
          ),
        ]);
        // One pass, because what is put in contains import.meta.url, too. The longest first.
        const texts = [...byText.keys()].sort((a, b) => b.length - a.length);
        const any = new RegExp(texts.map((text) => text.replace(/[.()]/g, '\\$&')).join('|'), 'g');
        return { code: code.replace(any, (text) => byText.get(text)!) };
      },
    },
  };
}

/** By content: a copy of the tree may have other modes. */
function fileOf(root: string, path: string): LayerFile {
  const bytes = readFileSync(join(root, path));
  return { path, bytes, isExecutable: bytes.subarray(0, 2).toString() === '#!' };
}

function plainFile(path: string, content: string | Uint8Array): LayerFile {
  return { path, bytes: typeof content === 'string' ? Buffer.from(content) : content, isExecutable: false };
}
