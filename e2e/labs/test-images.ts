// e2e/labs/test-images.ts: our own container images as archives of an OCI layout, because tests have no registry. Built once, with the same bytes every time.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createTar } from 'nanotar';
import { runCommand } from '../../src/base/command.ts';
import { writeFileAtomic } from '../../src/base/files.ts';
import { type LayerFile, layerOf } from '../../src/container/layer.ts';
import { type ImageSpec, ociImageOf } from '../../src/container/oci-image.ts';
import { cacheFolder } from '../programs/ensure-helm.ts';

export interface TestImage {
  /** As in a pod's manifest. */
  name: string;
  /** A tar of its OCI layout. */
  archive: string;
  /** Of its manifest. */
  digest: string;
}

export interface TestImages {
  /** Holds a pod's namespaces. One layer. */
  pause: TestImage;
  /** Prints `hello from an image that was there before the node` and waits; ends at once on SIGTERM. Two layers: the greeting is in the first. */
  hello: TestImage;
}

export const GREETING = 'hello from an image that was there before the node';

const MODULE = join(import.meta.dirname, '../../tools/test-images');
const BUILD_MS = 10 * 60_000;
const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

/** Needs Go. */
export async function ensureTestImages(): Promise<TestImages> {
  const [pause, hello] = [await ensureProgram('pause'), await ensureProgram('hello')];
  return {
    pause: ensureArchive('registry.k8s.io/pause:3.10', [[program('pause', pause)]], '65535:65535'),
    hello: ensureArchive(
      'images.headstart.dev/hello:1.0',
      [[textFile('etc/greeting', `${GREETING}\n`)], [program('hello', hello)]],
      '65532:65532',
    ),
  };
}

/** Layers from the lowest; the last file of the last layer is the program. */
export function ensureArchive(name: string, layers: readonly LayerFile[][], user: string): TestImage {
  const spec: ImageSpec = {
    ...{ architecture, name, user, env: {}, labels: {} },
    layers: layers.map(layerOf),
    entrypoint: [`/${layers.at(-1)!.at(-1)!.path}`],
  };
  const { digest, files } = ociImageOf(spec);
  const entries = [...files].map(([path, data]) => ({ name: path, data })).sort((a, b) => (a.name < b.name ? -1 : 1));
  const folder = join(cacheFolder(), 'test-images');
  const archive = join(folder, `${digest.replace(':', '-')}.tar`);
  const tar = Buffer.concat([createTar(entries, { attrs: { uid: 0, gid: 0, mtime: 0 } }), new Uint8Array(1024)]);
  mkdirSync(folder, { recursive: true });
  if (!existsSync(archive)) writeFileAtomic(archive, tar, 0o644);
  return { name, archive, digest };
}

export const textFile = (path: string, text: string): LayerFile => ({
  path,
  bytes: Buffer.from(text),
  isExecutable: false,
});

const program = (path: string, file: string): LayerFile => ({ path, bytes: readFileSync(file), isExecutable: true });

/** Cached under the hash of its source. */
async function ensureProgram(name: string): Promise<string> {
  const source = ['go.mod', `${name}/main.go`].map((path) => readFileSync(join(MODULE, path)));
  const hash = createHash('sha256').update(Buffer.concat(source)).digest('hex').slice(0, 16);
  const folder = join(cacheFolder(), 'test-images');
  const file = join(folder, `${name}-${hash}`);
  if (existsSync(file)) return file;
  mkdirSync(folder, { recursive: true });
  const temporary = mkdtempSync(join(folder, '.build-'));
  try {
    const output = join(temporary, name);
    const flags = ['-trimpath', '-buildvcs=false', '-ldflags=-s -w -buildid='];
    const built = await runCommand(['go', '-C', MODULE, 'build', ...flags, '-o', output, `./${name}`], {
      timeoutMs: BUILD_MS,
      env: { ...process.env, CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOWORK: 'off', GOFLAGS: '' },
    });
    if (built.outcome === 'missing') throw new Error('the e2e tests of container images need Go 1.26 or newer');
    if (built.code !== 0) throw new Error(`${name} was not built (${built.outcome}): ${built.stderr.slice(-2000)}`);
    writeFileAtomic(file, readFileSync(output), 0o755);
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
  return file;
}

if (import.meta.main) console.log(JSON.stringify(await ensureTestImages(), null, 2));
