// e2e/container-store.test.ts: is the image store that we build what containerd would make, the same every time, and does the real containerd accept it?
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunCommand, runCommand } from '../src/base/command.ts';
import type { LayerFile } from '../src/container/layer.ts';
import { imageRootRunner } from '../src/image/build/as-root.ts';
import { putFiles } from '../src/image/build/disk/put-files.ts';
import { type ContainerStore, makeContainerStore, type StoreImage } from '../src/image/build/store/container-store.ts';
import { storeFiles } from '../src/image/build/store/store-files.ts';
import { type ContainerdLab, startContainerd } from './labs/containerd-lab.ts';
import { criImages } from './labs/cri-images.ts';
import {
  ensureArchive,
  ensureTestImages,
  GREETING,
  type TestImage,
  type TestImages,
  textFile,
} from './labs/test-images.ts';
import { type ContainerdPrograms, ensureContainerd } from './programs/ensure-containerd.ts';

const folder = mkdtempSync(join(tmpdir(), 'headstart-store-'));
const EPOCH_SEC = 1_700_000_000;
const BLOBS = 'io.containerd.content.v1.content/blobs/sha256';
const SNAPSHOTS_IN = 'io.containerd.snapshotter.v1.overlayfs/snapshots';
const deps = (name: string) => ({
  ...{ run: runCommand, isRoot: process.getuid?.() === 0, epochSec: EPOCH_SEC },
  folder: join(folder, name),
});

let programs: ContainerdPrograms;
let images: TestImages;
let wanted: StoreImage[];
let store: ContainerStore;

beforeAll(async () => {
  [programs, images] = [await ensureContainerd(), await ensureTestImages()];
  // A file that a later layer deletes, and a folder that it replaces.
  const layered = takingAway([textFile('data/.wh..wh..opq', '')]);
  wanted = [
    { ...images.pause, pin: true },
    { ...images.hello, pin: false },
    { ...layered, pin: false },
  ];
  const startedMs = performance.now();
  store = await makeContainerStore(wanted, programs, deps('one'));
  console.log(`container store: ${wanted.length} images in ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
});

afterAll(() => rmSync(folder, { recursive: true }));

function takingAway(more: LayerFile[] = []): TestImage {
  const lower = [textFile('etc/kept', 'kept\n'), textFile('etc/gone', 'gone\n'), textFile('data/old', 'old\n')];
  const upper = [...more, textFile('etc/.wh.gone', ''), textFile('data/new', 'new\n')];
  return ensureArchive('images.headstart.dev/layered:1.0', [lower, upper], '0:0');
}

/** Names, kinds, modes, owners, times, links, xattrs, content: one line for each file, and one hash of all. */
async function treeOf(root: string): Promise<{ lines: string[]; sha256: string }> {
  const listed = await runCommand(['find', root, '-printf', '%P %y %#m %U:%G %T@ %n %l\\n']);
  const pax = 'delete=atime,delete=ctime,exthdr.name=%d/PaxHeaders/%f';
  const tar = ['tar', '--create', '--sort=name', '--xattrs', '--xattrs-include=*', `--pax-option=${pax}`];
  const archive = join(folder, 'tree.tar');
  const packed = await runCommand([...(tar as ['tar']), `--directory=${root}`, `--file=${archive}`, '.']);
  expect(packed.stderr).toBe('');
  const summed = await runCommand(['sha256sum', archive]);
  return { lines: listed.stdout.toString().split('\n').sort(), sha256: summed.stdout.toString().slice(0, 64) };
}

describe('the container store', () => {
  test('is the same when it is built again, in another folder and later', async () => {
    const again = await makeContainerStore(wanted, programs, deps('a-folder-with-another-name'));
    const [first, second] = [await treeOf(store.folder), await treeOf(again.folder)];
    expect(second.lines).toEqual(first.lines);
    expect(second.sha256).toBe(first.sha256);
    expect(again.images).toEqual(store.images);
  });

  test('lists its images', () => {
    expect(store.images).toEqual(
      wanted.map(({ name }) => ({ name, digest: digestOf(name), bytes: expect.any(Number) })),
    );
  });

  test('contains only content, snapshots and their databases, and no file newer than allowed', async () => {
    expect(readdirSync(store.folder).sort()).toEqual([
      'io.containerd.content.v1.content',
      'io.containerd.metadata.v1.bolt',
      'io.containerd.snapshotter.v1.overlayfs',
    ]);
    const { lines } = await treeOf(store.folder);
    const times = lines.filter(Boolean).map((line) => Number(/ \d+:\d+ (\S+) /.exec(line)![1]));
    expect(Math.max(...times)).toBe(EPOCH_SEC);
  });

  test('leaves nothing behind that disturbs a later build', () => {
    expect(readFileSync('/proc/self/mountinfo', 'utf8')).not.toContain(folder);
    expect(processesWith(folder)).toEqual([]);
  });
});

describe('written to an unmounted file system', () => {
  const disk = join(folder, 'disk.ext4');
  const SNAPSHOTS = `/var/lib/containerd/${SNAPSHOTS_IN}`;
  const ask = async (question: string) => (await runCommand(['debugfs', '-R', question, disk])).stdout.toString();

  beforeAll(async () => {
    const made = await runCommand(['mke2fs', '-q', '-t', 'ext4', disk, '64M']);
    expect(made.stderr).toBe('');
    const files = await storeFiles(store, { runAsRoot: await imageRootRunner(runCommand, deps('').isRoot) });
    await putFiles({ file: disk, startBytes: 0 }, files, {
      run: runCommand,
      folder: join(folder, 'put'),
      epochSec: EPOCH_SEC,
    });
  });

  test('it is the same: content, modes, owners, whiteouts and opaque folders', async () => {
    const [digest] = readdirSync(join(store.folder, BLOBS));
    const copy = join(folder, 'blob');
    await ask(`dump /var/lib/containerd/${BLOBS}/${digest} ${copy}`);
    expect(readFileSync(copy).equals(readFileSync(join(store.folder, BLOBS, digest!)))).toBe(true);
    expect(await ask('stat /var/lib/containerd')).toMatch(/Type: directory +Mode: +0700/);
    const layered = (await lines('find', join(store.folder, SNAPSHOTS_IN), '-type', 'c', '-printf', '%P\\n')).at(0)!;
    expect(layered).toMatch(/^\d+\/fs\/etc\/gone$/);
    const stat = await ask(`stat ${SNAPSHOTS}/${layered}`);
    expect(stat).toMatch(/Type: character special/);
    expect(stat).toMatch(/Device major\/minor number: 00:00/);
    expect(await ask(`ea_get ${SNAPSHOTS}/${layered.split('/')[0]}/fs/data trusted.overlay.opaque`)).toContain('"y"');
  });
});

test('it has the same files when a user without root builds it in a user namespace', async () => {
  // Not the layer that replaces a folder: containerd deletes the content one by one, which has the same effect but more files.
  const less = [wanted[1]!, { ...takingAway(), pin: false }];
  const inNamespace: RunCommand = (argv, options) =>
    runCommand(['unshare', '--user', '--map-root-user', ...argv], options);
  const ours = await makeContainerStore(less, programs, deps('root'));
  const theirs = await makeContainerStore(less, programs, { ...deps('user'), run: inNamespace });
  const filesOf = async (one: ContainerStore) =>
    (await storeFiles(one, { runAsRoot: runCommand })).map((file) =>
      'from' in file ? { ...file, from: readFileSync(file.from).toString('hex') } : file,
    );
  expect(await filesOf(theirs)).toEqual(await filesOf(ours));
});

describe('a real containerd on the store', () => {
  const copy = join(folder, 'node');
  let lab: ContainerdLab;

  beforeAll(async () => {
    const copied = await runCommand(['cp', '--archive', store.folder, copy]);
    expect(copied.stderr).toBe('');
    lab = await startContainerd(copy, programs);
  });
  afterAll(() => lab?.stop());

  test('has every image, complete and unpacked', async () => {
    const [, ...lines] = (await lab.ctr('images', 'check')).trim().split('\n');
    expect(lines).toHaveLength(3 * wanted.length); // by tag, by digest, by id
    for (const line of lines) expect(line).toMatch(/\scomplete \(\d+\/\d+\)\s.*\strue\s*$/);
    expect(lines.map((line) => line.split(/\s/)[0])).toEqual(expect.arrayContaining(wanted.map(({ name }) => name)));
  });

  test('lists them to kubelet by tag, digest and id, as if it had pulled them', async () => {
    const seen = await criImages(lab.socket);
    expect(seen.flatMap(({ repoTags }) => repoTags).sort()).toEqual(wanted.map(({ name }) => name).sort());
    for (const { name } of wanted) {
      const image = seen.find(({ repoTags }) => repoTags.includes(name))!;
      expect(image.repoDigests).toEqual([`${name.slice(0, name.lastIndexOf(':'))}@${digestOf(name)}`]);
      expect(image.id).toMatch(/^sha256:[0-9a-f]{64}$/);
    }
    const complaints = lab
      .log()
      .split('\n')
      .filter((line) => /level=(?:error|warning|fatal)/.test(line));
    expect(complaints.filter((line) => !/devmapper|cni/.test(line))).toEqual([]); // both are missing here, and neither concerns images
  });

  test('pins the images that must stay', async () => {
    const listed = await lab.ctr('images', 'ls');
    const line = (name: string) => listed.split('\n').find((one) => one.startsWith(`${name} `));
    expect(line(images.pause.name)).toContain('io.cri-containerd.pinned=pinned');
    expect(line(images.hello.name)).not.toContain('pinned');
  });

  test('starts a container from it at once, and unpacks nothing', async () => {
    const before = await lab.ctr('snapshots', 'ls');
    const log = join(folder, 'hello.log');
    await lab.ctr('run', '--detach', '--cgroup', '', '--log-uri', `file://${log}`, images.hello.name, 'hello');
    await expect.poll(() => existsSync(log) && readFileSync(log, 'utf8'), { timeout: 20_000 }).toBe(`${GREETING}\n`);
    const after = (await lab.ctr('snapshots', 'ls')).split('\n').filter((line) => !/^hello\s/.test(line));
    expect(after.join('\n')).toBe(before);
    await lab.ctr('tasks', 'kill', '--signal', 'SIGTERM', 'hello');
    await expect.poll(() => lab.ctr('tasks', 'ls'), { timeout: 20_000 }).toMatch(/hello\s+\d+\s+STOPPED/);
    await lab.ctr('tasks', 'delete', 'hello');
    await lab.ctr('containers', 'delete', 'hello');
  });

  test('shows files that a later layer deleted or replaced correctly', async () => {
    const view = join(folder, 'view');
    const { name } = wanted[2]!;
    mkdirSync(view);
    await lab.ctr('images', 'mount', name, view);
    const inside = await lab.inside('find', view, '-type', 'f', '-printf', '%P\\n');
    expect(inside.trim().split('\n').sort()).toEqual(['data/new', 'etc/kept']);
    await lab.ctr('images', 'unmount', '--rm', view);
  });

  test('collects no garbage, because everything is referenced', async () => {
    await lab.ctr('images', 'tag', images.pause.name, 'images.headstart.dev/for-a-moment:1');
    await lab.ctr('images', 'rm', '--sync', 'images.headstart.dev/for-a-moment:1');
    for (const path of [BLOBS, SNAPSHOTS_IN]) {
      expect(readdirSync(join(copy, path)).sort()).toEqual(readdirSync(join(store.folder, path)).sort());
    }
  });
});

describe('a failure', () => {
  test('an archive that is not an image is named, and containerd is not started', async () => {
    const archive = join(folder, 'none.tar');
    await runCommand(['tar', '--create', `--file=${archive}`, '--files-from=/dev/null']);
    await expect(
      makeContainerStore([{ archive, name: 'a.example/none:1', pin: false }], programs, deps('bad')),
    ).rejects.toMatchObject({ code: 'image/bad-oci-archive', message: expect.stringContaining('a.example/none:1') });
  });

  test('a layer whose bytes do not match its digest is not imported', async () => {
    const archive = join(folder, 'changed.tar');
    const bytes = Buffer.from(readFileSync(images.hello.archive));
    // In the middle of the largest file, the layer with the program.
    bytes[Math.floor(bytes.length / 2)]! ^= 1;
    writeFileSync(archive, bytes);
    await expect(
      makeContainerStore([{ archive, name: 'a.example/changed:1', pin: false }], programs, deps('changed')),
    ).rejects.toMatchObject({ code: 'image/not-imported', message: expect.stringContaining('a.example/changed:1') });
  });

  test('a containerd that cannot run here has another error than an image that cannot be imported', async () => {
    await expect(
      makeContainerStore(wanted, { ...programs, containerd: '/bin/false' }, deps('no-server')),
    ).rejects.toMatchObject({ code: 'image/containerd-not-started', next: expect.stringContaining('/bin/false') });
  });

  test('an interruption leaves no process behind', async () => {
    const controller = new AbortController();
    const onWaiting = (what: string) => {
      if (what.includes('imported')) controller.abort(new Error('told to stop'));
    };
    await expect(
      makeContainerStore(wanted, programs, { ...deps('stopped'), signal: controller.signal, onWaiting }),
    ).rejects.toThrow('told to stop');
    await expect.poll(() => processesWith(join(folder, 'stopped')), { timeout: 10_000 }).toEqual([]);
  });

  test('leftovers of an earlier build in the folder do not matter', async () => {
    cpSync(images.hello.archive, join(folder, 'stopped', 'container-store', 'left-over'));
    const again = await makeContainerStore(wanted, programs, deps('stopped'));
    expect((await treeOf(again.folder)).sha256).toBe((await treeOf(store.folder)).sha256);
  });
});

async function lines(...argv: [string, ...string[]]): Promise<string[]> {
  return (await runCommand(argv)).stdout.toString().split('\n').filter(Boolean);
}

function digestOf(name: string): string {
  const archive = wanted.find((image) => image.name === name)!.archive;
  return `sha256:${/sha256-([0-9a-f]+)\.tar$/.exec(archive)![1]}`;
}

function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
      } catch {
        return []; // deleted meanwhile
      }
    })
    .filter((line) => line.includes(text));
}
