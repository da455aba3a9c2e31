// e2e/container.test.ts: does the container image start fast, as an unprivileged user, with only its own files, and does a real containerd load it?
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { buildContainerImage, type ProgramImage, writeImage } from '../src/container/build.ts';
import { ownPrograms } from '../src/container/own-programs.ts';
import { IMAGE_PLATFORMS } from '../src/container/platform.ts';
import { type ContainerdLab, startContainerd } from './labs/containerd-lab.ts';
import { criImages } from './labs/cri-images.ts';
import { ensureContainerd } from './programs/ensure-containerd.ts';
import { cacheFolder } from './programs/ensure-helm.ts';

const repository = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), 'headstart-container-'));
const layout = join(folder, 'image');
const root = join(folder, 'root');

/** Of the image that this machine can run. */
const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64';

let image: ProgramImage;
let archive: string;
let config: { User: string; Entrypoint: string[]; Env: string[] };

beforeAll(async () => {
  image = await buildContainerImage();
  archive = writeImage(image, layout).archive;
  const manifest = blob(manifestOf(architecture));
  config = blob(manifest.config.digest).config;
  mkdirSync(root);
  for (const { digest } of manifest.layers) {
    const unpacked = spawnSync('tar', ['-xzf', join(layout, 'blobs', digest.replace(':', '/')), '-C', root], {
      encoding: 'utf8',
    });
    expect(unpacked.stderr).toBe('');
  }
});

afterAll(() => rmSync(folder, { recursive: true }));

const read = (path: string) => JSON.parse(readFileSync(join(layout, path), 'utf8'));
/** The digest of its manifest. */
const manifestOf = (wanted: string): string => {
  const { manifests } = blob(read('index.json').manifests[0].digest);
  return manifests.find((one: { platform: { architecture: string } }) => one.platform.architecture === wanted).digest;
};
const blob = (digest: string) => read(`blobs/${digest.replace(':', '/')}`);

/** Runs in the image's root, as its user, with its environment. */
function inImage(argv: string[], input?: Buffer) {
  const [uid, gid] = config.User.split(':');
  return spawnSync(
    'unshare',
    ['--user', `--map-user=${uid}`, `--map-group=${gid}`, `--root=${root}`, '--wd=/', ...argv],
    {
      env: Object.fromEntries(config.Env.map((line) => line.split(/=(.*)/s).slice(0, 2))),
      ...(input && { input }),
      maxBuffer: 64 << 20,
    },
  );
}

const headstart = (...args: string[]) => inImage([...config.Entrypoint, ...args]);

describe('the container image', () => {
  test('runs its entry point as user 65532, and prints how long that takes', () => {
    expect(config.User).toBe('65532:65532');
    const startedMs = performance.now();
    const ran = headstart('--version');
    const tookMs = performance.now() - startedMs;
    const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    expect(ran.stderr.toString()).toBe('');
    expect(ran.stdout.toString()).toBe(`${version}\n`);
    const megabytes = [...image.files.values()].reduce((sum, bytes) => sum + bytes.length, 0) / 1e6;
    console.log(
      `container image: ${megabytes.toFixed(1)} MB compressed, started and answered in ${tookMs.toFixed(0)} ms`,
    );
  });

  test('finds the files that the program reads next to its sources', () => {
    const boot = readFileSync(join(repository, 'src/boot/fixtures/boots/first-boot.tar.gz'));
    const report = inImage([...config.Entrypoint, 'boot', 'report', '-i', '-', '-o', '-'], boot);
    expect(report.stderr.toString()).toBe('');
    expect(report.stdout.toString()).toMatch(/^<!doctype html>/i);
  });

  test('loads every part of the program from its own files', () => {
    const parts = readdirSync(join(root, 'opt/headstart')).filter((name) => name.endsWith('.js'));
    const programs = [...ownPrograms(repository).map(({ name }) => name), 'copy-host-file'];
    const loadable = parts.filter((name) => !programs.includes(basename(name, '.js')));
    const { devDependencies } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8'));
    // Only development tools are missing, such as the simulator's referee.
    const script = `
      const left = ${JSON.stringify(Object.keys(devDependencies))};
      for (const name of ${JSON.stringify(loadable)}) {
        await import('/opt/headstart/' + name).catch((error) => {
          if (error.code !== 'ERR_MODULE_NOT_FOUND' || !left.some((one) => error.message.includes(\`'\${one}'\`))) throw error;
        });
      }`;
    const ran = inImage(['/usr/bin/node', '--no-warnings', '--input-type=module', '--eval', script]);
    expect(ran.stderr.toString()).toBe('');
    expect(ran.status).toBe(0);
    expect(loadable.length).toBeGreaterThan(20);
  });

  test('has nsenter and the CA certificates', () => {
    expect(inImage(['/usr/bin/nsenter', '--version']).stdout.toString()).toContain('util-linux');
    expect(readFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8')).toContain('BEGIN CERTIFICATE');
  });

  test('contains no shell, no test, and no file that its user can write', () => {
    const listing = spawnSync('find', [root, '-printf', '%P %y %m\n'], { encoding: 'utf8' }).stdout.split('\n');
    const paths = listing.filter((line) => line.includes(' ') && !line.startsWith(' ')).map((line) => line.split(' '));
    expect(paths.length).toBeGreaterThan(50);
    for (const [path, type, mode] of paths) {
      expect(['f 644', 'f 755', 'd 755'], path).toContain(`${type} ${mode}`);
      expect(path).not.toMatch(/(^|\/)(sh|bash|dash|busybox)$|\.test\.ts$|\/fixtures\/|\/node_modules\//);
    }
  });

  test('copies a file of the machine so that the program can read it, repeatedly', () => {
    const copies = mkdtempSync(join(folder, 'copies-'));
    const [from, to] = [join(copies, 'azure.json'), join(copies, 'copy.json')];
    writeFileSync(from, '{}', { mode: 0o600 });
    const copy = (...args: string[]) =>
      spawnSync(process.execPath, [join(root, 'opt/headstart/copy-host-file.js'), ...args], { encoding: 'utf8' });
    for (const round of [1, 2]) expect(copy(from, to), `round ${round}`).toMatchObject({ status: 0, stderr: '' });
    expect(statSync(to).mode & 0o777).toBe(0o440);
    expect(copy(from).status).toBe(2);
    chmodSync(to, 0o600);
  });
});

describe('for each architecture', () => {
  /** From the ELF header. */
  const MACHINES: Record<string, number> = { amd64: 62, arm64: 183 };

  test.each(IMAGE_PLATFORMS)('$architecture has programs and libraries of that architecture only', (platform) => {
    const unpacked = mkdtempSync(join(folder, `${platform.architecture}-`));
    const { config: own, layers } = blob(manifestOf(platform.architecture));
    expect(blob(own.digest)).toMatchObject({ architecture: platform.architecture, os: 'linux' });
    const [runtime] = layers;
    spawnSync('tar', ['-xzf', join(layout, 'blobs', runtime.digest.replace(':', '/')), '-C', unpacked]);
    const binaries = readdirSync(unpacked, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name)))
      .filter((bytes) => bytes.subarray(0, 4).toString('latin1') === '\x7fELF');
    expect(binaries.length).toBe(11); // node, nsenter, the linker and 8 libraries
    expect(new Set(binaries.map((bytes) => bytes.readUInt16LE(18)))).toEqual(
      new Set([MACHINES[platform.architecture]]),
    );
    expect(existsSync(join(unpacked, platform.linker))).toBe(true);
  });
});

describe('a real containerd that loads the archive', () => {
  let lab: ContainerdLab;
  beforeAll(async () => {
    lab = await startContainerd(join(folder, 'containerd'), await ensureContainerd());
  });
  afterAll(() => lab?.stop());

  test("with kind's flags: kubelet finds it under the name that a pod has, with our digest", async () => {
    const startedMs = performance.now();
    await lab.ctr('images', 'import', '--all-platforms', '--digests', '--snapshotter=overlayfs', archive);
    const [tagged] = (await criImages(lab.socket)).filter(({ repoTags }) => repoTags.length > 0);
    expect(tagged?.repoTags).toEqual([`docker.io/library/${image.name}`]);
    const listed = await lab.ctr('images', 'ls');
    expect(listed).toMatch(
      new RegExp(`^docker.io/library/${image.name} .* ${image.digest} .* linux/amd64,linux/arm64 `, 'm'),
    );
    console.log(`containerd loaded both platforms in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  });

  test('under a name of ours: kubelet finds it by its digest, as the packaged chart names it', async () => {
    await lab.ctr('images', 'import', '--digests', '--base-name', 'docker.io/library/headstart', archive);
    const digests = (await criImages(lab.socket)).flatMap(({ repoDigests }) => repoDigests);
    expect(digests).toContain(`docker.io/library/headstart@${image.digest}`);
  });

  test('starts it', async () => {
    const name = `docker.io/library/headstart@${image.digest}`;
    const log = join(folder, 'version.log');
    await lab.ctr('run', '--detach', '--cgroup', '', '--log-uri', `file://${log}`, name, 'version');
    await expect.poll(() => existsSync(log) && readFileSync(log, 'utf8')).toContain('headstart');
  });
});

describe('two builds of one tree', () => {
  const first = join(folder, 'tree');
  const second = join(folder, 'a-tree-somewhere-else', 'deeper');

  beforeAll(() => {
    for (const part of ['src', 'sims', 'tools', 'package.json', 'package-lock.json', 'LICENSE']) {
      cpSync(join(repository, part), join(first, part), {
        recursive: true,
        filter: (path) => !/\/fixtures($|\/)|\.test\.ts$/.test(path),
      });
    }
    mkdirSync(join(second, '..'), { recursive: true });
    copy(['--recursive', '--no-preserve=all', first], second);
    // Each tree has its own folder of dependencies; hard links, if possible, because they are large.
    const packages = join(repository, 'node_modules');
    for (const tree of [first, second]) {
      if (!tryCopy(['--archive', '--link', packages], tree)) copy(['--archive', packages], tree);
    }
    // Other dates and other modes.
    expect(spawnSync('chmod', ['-R', 'go-rwx', join(second, 'src')]).status).toBe(0);
    expect(spawnSync('find', [join(second, 'src'), '-exec', 'touch', '-d', '2001-02-03', '{}', '+']).status).toBe(0);
  });

  test('in different folders, at different times, give the same image', () => {
    const one = build(first, [], { TZ: 'UTC', LC_ALL: 'C' });
    const two = build(second, ['--import', YEARS_LATER], { TZ: 'Asia/Kathmandu', LC_ALL: 'C.UTF-8' });
    const names = (layout: string) => readdirSync(layout, { recursive: true }).map(String).sort();
    expect(names(two.layout)).toEqual(names(one.layout)); // blobs are named by their hash
    expect(two.digest).toBe(one.digest);
    for (const file of ['index.json', 'oci-layout']) {
      expect(readFileSync(join(two.layout, file), 'utf8')).toBe(readFileSync(join(one.layout, file), 'utf8'));
    }
    expect(readFileSync(`${two.layout}.tar`).equals(readFileSync(`${one.layout}.tar`))).toBe(true);
    console.log(`container image built twice, in two folders and years apart: ${one.digest}`);
  }, 600_000);

  /** A process with another clock and other file times. */
  const YEARS_LATER = `data:text/javascript,${encodeURIComponent(`
    const { now } = Date;
    globalThis.Date = class extends Date {
      constructor(...given) { given.length > 0 ? super(...given) : super(now() + 1e11); }
      static now() { return now() + 1e11; }
    };`)}`;

  function build(tree: string, flags: string[], env: Record<string, string>) {
    const layout = join(tree, 'out');
    const ran = spawnSync(process.execPath, [...flags, join(tree, 'src/container/build.ts'), layout], {
      cwd: tree,
      env: { PATH: process.env.PATH, HOME: folder, HEADSTART_CACHE: cacheFolder(), ...env },
      encoding: 'utf8',
    });
    expect(ran, ran.stderr).toMatchObject({ status: 0 });
    const digest = ran.stdout.split('\n')[0]?.split('  ')[1];
    expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
    return { layout, digest };
  }

  const tryCopy = (args: string[], to: string) => spawnSync('cp', [...args, to], { encoding: 'utf8' }).status === 0;
  const copy = (args: string[], to: string) => expect(tryCopy(args, to), `cp ${args.join(' ')}`).toBe(true);
});
