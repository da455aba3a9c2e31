import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type NodeDisk, systemDisk } from './disk.ts';

let folder: string;
let root: string;
let disk: NodeDisk;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'headstart-disk-'));
  root = join(folder, 'root');
  mkdirSync(join(root, 'etc'), { recursive: true });
  disk = systemDisk(root);
});

afterEach(() => rmSync(folder, { recursive: true }));

const bytes = Buffer.from('new\n');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

describe('systemDisk', () => {
  it('creates files and folders with the given mode, independent of the umask', () => {
    const before = process.umask(0o077);
    try {
      disk.create('/etc/a', bytes, { mode: 0o664 });
      disk.makeFolder('/etc/b', 0o755);
    } finally {
      process.umask(before);
    }
    expect([read('/etc/a'), lstatSync(join(root, 'etc/a')).mode & 0o7777]).toEqual(['new\n', 0o664]);
    expect(lstatSync(join(root, 'etc/b')).mode & 0o7777).toBe(0o755);
  });

  it('replaces a link instead of writing to its target', () => {
    writeFileSync(join(folder, 'precious'), 'old\n');
    symlinkSync(join(folder, 'precious'), join(root, 'etc/a'));
    disk.create('/etc/a', bytes, { mode: 0o600 });
    expect([read('/etc/a'), readFileSync(join(folder, 'precious'), 'utf8')]).toEqual(['new\n', 'old\n']);
    expect(lstatSync(join(root, 'etc/a')).isFile()).toBe(true);
  });

  it('leaves no partial file when a write fails', () => {
    // Not even root may change the owner of a file to this user id.
    expect(() => disk.create('/etc/a', bytes, { mode: 0o600, uid: 2 ** 32 - 1, gid: -5 })).toThrow();
    expect(readdirSync(join(root, 'etc'))).toEqual([]);
  });

  it('can create and remove links and folders twice', () => {
    disk.makeFolder('/etc/a', 0o755);
    disk.makeFolder('/etc/a', 0o755);
    disk.makeLink('/etc/b', '/dev/null');
    disk.makeLink('/etc/b', '/dev/zero');
    expect(readlinkSync(join(root, 'etc/b'))).toBe('/dev/zero');
    for (let i = 0; i < 2; i++) {
      disk.removeFolder('/etc/a');
      disk.remove('/etc/b');
      disk.remove('/etc/none/such');
    }
    expect(readdirSync(join(root, 'etc'))).toEqual([]);
  });

  it('does not remove a folder that is not empty', () => {
    disk.makeFolder('/etc/a', 0o755);
    disk.create('/etc/a/b', bytes, { mode: 0o644 });
    disk.removeFolder('/etc/a');
    expect(read('/etc/a/b')).toBe('new\n');
  });

  it('syncs files and folders, including the root', async () => {
    disk.create('/etc/a', bytes, { mode: 0o644 });
    await disk.syncFiles(['/etc/a']);
    await disk.syncFolders(['/etc', '/', '/gone']);
    await expect(disk.syncFiles(['/etc/none'])).rejects.toThrow('ENOENT');
  });
});

describe('a link in a path', () => {
  it.each<[string, (disk: NodeDisk) => unknown]>([
    ['to create', (one) => one.create('/link/a', bytes, { mode: 0o644 })],
    ['to remove', (one) => one.remove('/link/precious')],
    ['to rename', (one) => one.rename('/link/precious', '/link/a')],
    ['to link', (one) => one.makeLink('/link/a', '/x')],
    ['to make a folder', (one) => one.makeFolder('/link/a', 0o755)],
    ['to remove a folder', (one) => one.removeFolder('/link/folder')],
    ['to create, deeper', (one) => one.create('/etc/deep/a', bytes, { mode: 0o644 })],
  ])('is never followed %s', (_what, act) => {
    mkdirSync(join(folder, 'elsewhere/folder'), { recursive: true });
    writeFileSync(join(folder, 'elsewhere/precious'), 'old\n');
    symlinkSync(join(folder, 'elsewhere'), join(root, 'link'));
    symlinkSync('../../elsewhere', join(root, 'etc/deep'));
    try {
      act(disk);
    } catch (error) {
      expect(error).toMatchObject({ code: expect.stringMatching(/^(ELOOP|ENOTDIR)$/) });
    }
    expect(readdirSync(join(folder, 'elsewhere')).sort()).toEqual(['folder', 'precious']);
    expect(readFileSync(join(folder, 'elsewhere/precious'), 'utf8')).toBe('old\n');
  });

  it('is not accepted as an existing folder', () => {
    symlinkSync('/tmp', join(root, 'etc/link'));
    expect(() => disk.makeFolder('/etc/link', 0o755)).toThrow();
  });
});

describe('a path', () => {
  it.each(['/', '/..', '/etc/../../outside', '/etc/..'])('that leaves the root is refused: %s', (path) => {
    expect(() => disk.create(path, bytes, { mode: 0o644 })).toThrow('cannot write to');
    expect(() => disk.remove(path)).toThrow('cannot write to');
  });

  it('of a kernel setting is written through the links of the kernel, and never created', () => {
    mkdirSync(join(root, 'sys/devices/eth0'), { recursive: true });
    writeFileSync(join(root, 'sys/devices/eth0/mtu'), '1500\n');
    symlinkSync('devices', join(root, 'sys/class'));
    disk.setKernelValue('/sys/class/eth0/mtu', '9');
    expect(read('/sys/devices/eth0/mtu')).toBe('9');
    expect(() => disk.setKernelValue('/proc/sys/none', '1')).toThrow('ENOENT');
    expect(() => disk.setKernelValue('/proc/sys/../../etc/a', '1')).toThrow('not a kernel setting');
  });
});
