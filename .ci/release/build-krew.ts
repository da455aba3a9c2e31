// .ci/release/build-krew.ts: `node .ci/release/build-krew.ts REPOSITORY [FOLDER]`: packs the executables of `make dist` for krew and writes the
// manifest. REPOSITORY is the web page whose releases will have the archives; only a release knows it.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { parseTar } from 'nanotar';
import { exitCodeOf, renderError, UserError } from '../../src/base/errors.ts';
import { layerOf } from '../../src/container/layer.ts';
import { renderSums, sha256Of } from '../../src/packages/sums.ts';
import { type KrewArchive, krewManifest, PLUGIN } from './krew-manifest.ts';

const ROOT = join(import.meta.dirname, '../..');
const SUMS = 'SHA256SUMS';
const PLATFORMS = [
  { node: 'x64', arch: 'amd64' },
  { node: 'arm64', arch: 'arm64' },
] as const;

export interface KrewBuild {
  repository: string;
  /** With the files of `make dist`. */
  folder: string;
  /** The source tree, for its version and its licence. */
  root: string;
}

/** Returns the names of the files that it wrote. The same executables give the same bytes. */
export function buildKrew({ repository, folder, root }: KrewBuild): string[] {
  if (URL.parse(repository)?.protocol !== 'https:')
    throw unusable(
      `${JSON.stringify(repository)} is not the https address of a repository`,
      'give it as https://HOST/OWNER/NAME',
    );
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string };
  const sums = readSums(folder);
  const licences = [
    { path: 'LICENSE', bytes: readFileSync(join(root, 'LICENSE')) },
    { path: 'LICENSES-OF-DEPENDENCIES.txt', bytes: licencesIn(checked(folder, sums, `${PLUGIN}-${version}.tgz`)) },
  ].map((file) => ({ ...file, isExecutable: false }));
  const archives = PLATFORMS.map(({ node, arch }): KrewArchive & { bytes: Uint8Array } => {
    const program = `${PLUGIN}-${version}-linux-${node}`;
    const executable = { path: PLUGIN, bytes: checked(folder, sums, program), isExecutable: true };
    const bytes = layerOf([...licences, executable]).blob;
    return { name: `${program}.tar.gz`, arch, sha256: sha256Of(bytes), bytes };
  });
  const manifest = { name: `${PLUGIN}.yaml`, bytes: Buffer.from(krewManifest({ version, repository, archives })) };
  for (const { name, bytes } of [...archives, manifest]) {
    writeFileSync(join(folder, name), bytes);
    sums.set(name, sha256Of(bytes));
  }
  writeFileSync(join(folder, SUMS), renderSums(sums));
  return [...archives.map(({ name }) => name), manifest.name, SUMS];
}

/** Name → sha256. */
function readSums(folder: string): Map<string, string> {
  let text: string;
  try {
    text = readFileSync(join(folder, SUMS), 'utf8');
  } catch (cause) {
    throw unusable(`there is no ${SUMS} in ${folder}`, 'make dist', cause);
  }
  return new Map([...text.matchAll(/^([0-9a-f]{64}) [ *](.+)$/gm)].map(([, sum, name]) => [name!, sum!]));
}

/** What is packed is what `make dist` made. */
function checked(folder: string, sums: ReadonlyMap<string, string>, name: string): Buffer {
  const expected = sums.get(name);
  if (expected === undefined) throw unusable(`${SUMS} does not list ${name}`, 'make dist');
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, name));
  } catch (cause) {
    throw unusable(`${name} cannot be read in ${folder}`, 'make dist', cause);
  }
  if (sha256Of(bytes) === expected) return bytes;
  throw unusable(`${name} has the SHA-256 ${sha256Of(bytes)}; ${SUMS} has ${expected}`, 'make dist');
}

/** Of the packages in the npm package, which are those in the executable, and of Node.js. */
function licencesIn(npmPackage: Buffer): Buffer {
  const entries = parseTar(new Uint8Array(gunzipSync(npmPackage)));
  const data = entries.find(({ name }) => name === 'package/LICENSES-OF-DEPENDENCIES.txt')?.data;
  if (data === undefined) throw unusable('the npm package has no licences of its dependencies', 'make dist');
  const runtime = readFileSync(join(process.execPath, '../../LICENSE'), 'utf8');
  return Buffer.concat([Buffer.from(`== node\n\n${runtime.trim()}\n\n`), data]);
}

function unusable(message: string, next: string, cause?: unknown): UserError {
  return new UserError(message, { code: 'release/no-krew', kept: 'Nothing was written.', next, cause });
}

if (import.meta.main) {
  const [repository = '', folder = join(ROOT, 'out/dist')] = process.argv.slice(2);
  try {
    for (const name of buildKrew({ repository, folder, root: ROOT })) process.stdout.write(`${join(folder, name)}\n`);
  } catch (error) {
    process.stderr.write(`${renderError(error)}\n`);
    process.exitCode = exitCodeOf(error);
  }
}
