// e2e/programs/ensure-image.ts: the image that e2e boots and inspects: the example manifest's packages with the real kubelet, this tree's daemon and
// our own container images. Locked and built once per content, then taken from a cache outside the tree.
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { parse, stringify } from 'yaml';
import { runCommand } from '../../src/base/command.ts';
import { verb as build } from '../../src/cli/image/build.ts';
import { verb as lock } from '../../src/cli/image/lock.ts';
import { runVerb } from '../../src/cli/testing.ts';
import type { Verb } from '../../src/cli/verb.ts';
import { BUILT_VERSION } from '../../src/cluster/local/programs/programs.ts';
import { ensureExecutable } from '../../src/node/build/build.ts';
import { ensureTestImages } from '../labs/test-images.ts';
import { cacheFolder } from './ensure-helm.ts';
import { ensureKubelet } from './ensure-kube.ts';

const EXAMPLE = join(import.meta.dirname, '../../examples/image/image.yaml');
const UNUSED_MS = 2 * 60 * 60_000;
/** The disk grows on the node; what is hashed and kept need not be large. */
const DISK = { budgetMb: 1800, warnPercent: 90, sizeMb: 2048 };

export interface EnsuredImage {
  /** As `headstart image build` left it. */
  folder: string;
  lock: string;
  mirrors: string;
  kubernetes: string;
  /** The cache of `image` verbs: downloads and the base layer. */
  cache: string;
}

export async function ensureImage(tell: (line: string) => void = console.error): Promise<EnsuredImage> {
  const kubernetes = BUILT_VERSION.replace(/^v/, '');
  const inputs = await imageInputs(new Map([[kubernetes, await ensureKubelet(BUILT_VERSION, tell)]]));
  const top = join(cacheFolder(), 'image-e2e');
  const work = join(top, createHash('sha256').update(inputs.manifest).digest('hex').slice(0, 16));
  removeOthers(top, work);
  mkdirSync(work, { recursive: true });
  utimesSync(work, new Date(), new Date()); // in use
  const { manifest, mirrors } = writeInputs(work, inputs);
  const image = { lock: join(work, 'image.lock.json'), mirrors, kubernetes, cache: join(top, 'cache') };
  const shared = ['--cache', image.cache, '--mirrors', mirrors];
  if (!existsSync(image.lock)) await make(lock, ['-f', manifest, ...shared], tell);
  const out = join(work, 'images');
  // An existing image is verified byte for byte.
  await make(build, ['--lock', image.lock, '--out', out, ...shared], tell);
  const [name] = readdirSync(out).filter((one) => !one.startsWith('.'));
  return { ...image, folder: join(out, name!) };
}

/** The same for other patch versions: kubelets by version. Returns the manifest and its mirrors. */
export async function writeImageInputs(
  folder: string,
  kubelets: ReadonlyMap<string, string>,
): Promise<{ manifest: string; mirrors: string }> {
  return writeInputs(folder, await imageInputs(kubelets));
}

interface ImageInputs {
  manifest: string;
  mirrors: string;
}

function writeInputs(folder: string, inputs: ImageInputs): ImageInputs {
  const [manifest, mirrors] = [join(folder, 'image.yaml'), join(folder, 'mirrors.yaml')];
  writeFileSync(manifest, inputs.manifest);
  writeFileSync(mirrors, inputs.mirrors);
  return { manifest, mirrors };
}

/** Leaves out the example's downloads: only its packages matter here. */
async function imageInputs(kubelets: ReadonlyMap<string, string>): Promise<ImageInputs> {
  const [{ path: headstart }, { pause, hello }] = [await ensureExecutable(), await ensureTestImages()];
  const example = parse(readFileSync(EXAMPLE, 'utf8')) as { components: { kind: string }[] };
  const about = { licence: 'Apache-2.0', reason: 'for e2e' };
  const mirrors: Record<string, string> = {};
  // Each from its own folder: kubelets are in folders by version.
  const version = (origin: string, word: string, file: string) => {
    mirrors[origin] = dirname(file);
    return { version: word, sources: { amd64: { origin, path: basename(file), sha256: sumOf(file) } } };
  };
  const components = [
    ...example.components.filter(({ kind }) => kind === 'deb' || kind === 'file'),
    {
      ...{ name: 'kubelet', kind: 'binary', ...about, install: { to: '/usr/bin/kubelet' } },
      versions: [...kubelets].map(([kubernetes, file]) => ({
        ...version(`local:kubernetes-${kubernetes}`, kubernetes, file),
        kubernetes,
      })),
    },
    {
      ...{ name: 'headstart', kind: 'binary', ...about, install: { to: '/usr/lib/headstart/headstart' } },
      versions: [version('local:headstart', '0.0.0', headstart)],
    },
    {
      ...{ name: 'pause', kind: 'oci-image', ...about, install: { to: pause.name } },
      versions: [version('local:images', '3.10', pause.archive)],
    },
    {
      ...{ name: 'hello', kind: 'oci-image', ...about, install: { to: hello.name } },
      versions: [version('local:images', '1.0', hello.archive)],
    },
    {
      ...{ name: 'tools', kind: 'archive', ...about, install: TOOLS_INSTALL },
      versions: [version('local:tools', '1.0', await ensureTools())],
    },
  ];
  const manifest = stringify({ ...example, kubernetes: [...kubelets.keys()], disk: DISK, components });
  return { manifest, mirrors: stringify({ mirrors }) };
}

const TOOLS_INSTALL = { to: '/opt/tools', strip: 1, only: ['tools-1.0/bin/', 'tools-1.0/share/'] };

/** An archive like those of upstream projects: an extra folder, a link, modes, and an unwanted file. The same bytes each time. */
async function ensureTools(): Promise<string> {
  const [folder, tree] = [join(cacheFolder(), 'test-archive'), mkdtempSync(join(tmpdir(), 'headstart-tools-'))];
  const top = join(tree, 'tools-1.0');
  for (const name of ['bin', 'share']) mkdirSync(join(top, name), { recursive: true });
  writeFileSync(join(top, 'bin/say-hello'), '#!/bin/sh\necho hello\n', { mode: 0o755 });
  symlinkSync('say-hello', join(top, 'bin/hello'));
  writeFileSync(join(top, 'share/words'), 'hello\n', { mode: 0o640 });
  writeFileSync(join(top, 'README'), 'read me\n');
  mkdirSync(folder, { recursive: true });
  const [file, made] = [join(folder, 'tools.tar'), join(tree, 'tools.tar')];
  const flags = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner', '--format=ustar'];
  const ran = await runCommand(['tar', '--create', ...flags, '--file', made, '--directory', tree, 'tools-1.0']);
  if (ran.code !== 0) throw new Error(`tar: ${ran.stderr}`);
  // Atomically: another test may be reading it.
  cpSync(made, `${file}.${process.pid}`);
  renameSync(`${file}.${process.pid}`, file);
  rmSync(tree, { recursive: true });
  return file;
}

async function make(verb: Verb, argv: string[], tell: (line: string) => void): Promise<void> {
  const { code, stderr } = await runVerb(verb, argv, { env: process.env, nowUs: Date.now() * 1000 });
  if (code !== 0) throw new Error(`image ${argv.join(' ')} ended with ${code}:\n${stderr}`);
  tell(stderr.trim().split('\n').slice(-12).join('\n'));
}

const sumOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

/** Each takes more than a gigabyte and is useful only to the tree it was made from; another tree may be in use at the same time. */
function removeOthers(top: string, work: string): void {
  for (const name of existsSync(top) ? readdirSync(top) : []) {
    const other = join(top, name);
    if (!/^[0-9a-f]{16}$/.test(name) || other === work) continue;
    if (Date.now() - statSync(other).mtimeMs > UNUSED_MS) rmSync(other, { recursive: true, force: true });
  }
}

if (import.meta.main) console.log((await ensureImage()).folder);
