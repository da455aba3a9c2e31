import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunCommand, runCommand } from '../../../base/command.ts';
import { parseEntries, storeFiles } from './store-files.ts';

const scratch = mkdtempSync(join(tmpdir(), 'headstart-store-files-'));
const folder = join(scratch, 'containerd');
const LONG = `${'a-folder-with-a-long-name/'.repeat(8)}file`;

beforeAll(() => {
  mkdirSync(join(folder, LONG, '..'), { recursive: true });
  writeFileSync(join(folder, LONG), 'some content');
  chmodSync(join(folder, LONG), 0o4755);
  linkSync(join(folder, LONG), join(folder, 'same'));
  symlinkSync('../where/ever', join(folder, 'link'));
  mkdirSync(join(folder, 'höhle'));
  chmodSync(join(folder, 'höhle'), 0o1777);
});
afterAll(() => rmSync(scratch, { recursive: true }));

const files = () => storeFiles({ folder, images: [] }, { runAsRoot: runCommand });

test('storeFiles lists files, folders and links with modes, owners and long names', async () => {
  const owner = { uid: process.getuid!(), gid: process.getgid!() };
  const found = new Map((await files()).map((file) => [file.path, file]));
  expect(found.get('var/lib/containerd')).toMatchObject({ isFolder: true });
  expect(found.get(`var/lib/containerd/${LONG}`)).toEqual({
    path: `var/lib/containerd/${LONG}`,
    ...owner,
    mode: 0o4755,
    mtimeSec: Math.floor(statSync(join(folder, LONG)).mtimeMs / 1000),
    from: join(folder, LONG),
  });
  expect(found.get('var/lib/containerd/same')).toMatchObject({ mode: 0o4755, from: join(folder, 'same') });
  expect(found.get('var/lib/containerd/link')).toMatchObject({ to: '../where/ever' });
  expect(found.get('var/lib/containerd/höhle')).toMatchObject({ mode: 0o1777, isFolder: true });
  expect(found.size).toBe(13);
});

test('storeFiles leaves the store unchanged and no other files', async () => {
  const list = async () => (await runCommand(['find', scratch, '-printf', '%P %s %T@\n'])).stdout.toString();
  truncateSync(join(folder, 'same'), 5);
  const before = await list();
  await files();
  expect((await list()).replace(/^ .*\n/, '')).toBe(before.replace(/^ .*\n/, '')); // the parent contained the temporary copy
});

test('storeFiles refuses other file types, with the path', async () => {
  const fifo = join(folder, 'fifo');
  expect((await runCommand(['mkfifo', fifo])).code).toBe(0);
  await expect(files()).rejects.toMatchObject({ code: 'image/bad-layer', message: expect.stringContaining('"fifo"') });
  rmSync(fifo);
});

test('storeFiles fails if tar cannot read everything', async () => {
  const failing: RunCommand = (argv, options) =>
    argv[0] === 'tar'
      ? Promise.resolve({ outcome: 'exited', code: 2, stdout: Buffer.alloc(0), stderr: 'no' })
      : runCommand(argv, options);
  await expect(storeFiles({ folder, images: [] }, { runAsRoot: failing })).rejects.toThrow('tar did not list');
});

test('parseEntries reads device numbers, and attributes with any bytes', () => {
  const value = Buffer.from([0, 0x0a, 0x3d, 0xff]);
  const archive = Buffer.concat([
    ...header(
      './x',
      'x',
      extended({ 'SCHILY.xattr.trusted.overlay.opaque': Buffer.from('y'), 'SCHILY.xattr.user.x': value }),
    ),
    ...header('./whiteout', '3', Buffer.alloc(0), '0000007\0', '0000021\0'),
    ...header('./after', '0', Buffer.alloc(0)),
    Buffer.alloc(1024),
  ]);
  expect(parseEntries(archive)).toEqual([
    {
      ...{ path: 'whiteout', type: '3', mode: 0o640, uid: 8, gid: 9, mtimeSec: 0, linkTo: '' },
      device: { major: 7, minor: 17 },
      xattrs: [
        { name: 'trusted.overlay.opaque', value: Buffer.from('y') },
        { name: 'user.x', value },
      ],
    },
    expect.objectContaining({ path: 'after', xattrs: [] }),
  ]);
});

test('storeFiles translates overlayfs attributes of a user namespace, or drops them', async () => {
  const notes = { 'user.overlay.opaque': 'y', 'user.overlay.origin': 'an inode', 'user.mine': 'kept' };
  const records = Object.fromEntries(
    Object.entries(notes).map(([key, value]) => [`SCHILY.xattr.${key}`, Buffer.from(value)]),
  );
  const stdout = Buffer.concat([
    ...header('./x', 'x', extended(records)),
    ...header('./data/', '5', Buffer.alloc(0)),
    Buffer.alloc(1024),
  ]);
  const run: RunCommand = () => Promise.resolve({ outcome: 'exited', code: 0, stdout, stderr: '' });
  const [file] = await storeFiles({ folder, images: [] }, { runAsRoot: run });
  expect(file?.xattrs).toEqual([
    { name: 'trusted.overlay.opaque', value: Buffer.from('y') },
    { name: 'user.mine', value: Buffer.from('kept') },
  ]);
});

test('parseEntries throws for a truncated header', () => {
  const broken = Buffer.concat([...header('./x', 'x', Buffer.from('99 path=a\n')), Buffer.alloc(1024)]);
  expect(() => parseEntries(broken)).toThrow('damaged');
  expect(() =>
    parseEntries(Buffer.concat([...header('./x', 'x', Buffer.from('nonsense')), Buffer.alloc(512)])),
  ).toThrow('damaged');
});

function header(name: string, type: string, content: Buffer, major = '0000000\0', minor = '0000000\0'): Buffer[] {
  const block = Buffer.alloc(512);
  block.write(name, 0);
  block.write('0000640\0', 100);
  block.write('0000010\0', 108);
  block.write('0000011\0', 116);
  block.write(`${content.length.toString(8).padStart(11, '0')}\0`, 124);
  block.write(type, 156);
  block.write(major, 329);
  block.write(minor, 337);
  return [block, content, Buffer.alloc((512 - (content.length % 512)) % 512)];
}

function extended(records: Record<string, Buffer>): Buffer {
  return Buffer.concat(
    Object.entries(records).map(([key, value]) => {
      const body = Buffer.concat([Buffer.from(` ${key}=`), value, Buffer.from('\n')]);
      const guess = body.length + String(body.length).length;
      const length = body.length + String(guess).length;
      return Buffer.concat([Buffer.from(String(length)), body]);
    }),
  );
}
