// container/chart/build.ts: packages the chart with the digest of the built image: `node src/container/chart/build.ts [FOLDER] [IMAGE-LAYOUT]`.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { exitCodeOf, renderError, UserError } from '../../base/errors.ts';
import { packageChart } from './package-chart.ts';
import { repositoryIndex } from './repository-index.ts';

const ROOT = join(import.meta.dirname, '../../..');

export interface BuiltChart {
  /** Name → bytes: the packaged chart and `index.yaml`. */
  files: ReadonlyMap<string, Uint8Array>;
  /** The name of the packaged chart. */
  fileName: string;
}

/** Reproducible: the same chart, version and image give the same bytes. */
export function buildChart(imageDigest: string, root = ROOT): BuiltChart {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const chart = packageChart({ files: chartFiles(join(root, 'charts/vmss-prototype')), version, imageDigest });
  return {
    fileName: chart.fileName,
    files: new Map([
      [chart.fileName, chart.bytes],
      ['index.yaml', Buffer.from(repositoryIndex(chart))],
    ]),
  };
}

/** Replaces an existing folder. */
export function writeChart({ files }: BuiltChart, folder: string): void {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
}

/** The digest of an image layout that `make image` wrote. */
export function digestOfLayout(layout: string): string {
  try {
    const { manifests } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as {
      manifests: [{ digest: string }];
    };
    return manifests[0].digest;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new UserError(`there is no image in ${layout}, and the chart contains the digest of its image`, {
      code: 'container/no-image',
      next: 'run `make image`, then try again',
      cause: error,
    });
  }
}

function chartFiles(folder: string): Map<string, Uint8Array> {
  return new Map(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [relative(folder, path), readFileSync(path)]),
  );
}

if (import.meta.main) {
  const [folder = join(ROOT, 'out/chart'), layout = join(ROOT, 'out/image')] = process.argv.slice(2);
  try {
    const digest = digestOfLayout(layout);
    const chart = buildChart(digest);
    writeChart(chart, folder);
    process.stdout.write(`${join(folder, chart.fileName)}  image ${digest}\n`);
  } catch (error) {
    process.stderr.write(`${renderError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
