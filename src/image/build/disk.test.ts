import { createHash } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Argv, RunCommand } from '../../base/command.ts';
import type { RootImage } from './contract.ts';
import { type Format, makeDisk } from './disk.ts';

const MIB = 2 ** 20;
let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'headstart-disk-'));
  for (const name of ['vmlinuz', 'initrd', 'loader']) writeFileSync(join(top, name), `the ${name}`);
  writeFileSync(join(top, 'root.ext4'), Buffer.alloc(2 * MIB, 'root '));
});
afterEach(() => rmSync(top, { recursive: true }));

const rootImage = (changes: Partial<RootImage> = {}): RootImage => ({
  ext4: join(top, 'root.ext4'),
  uuid: '11223344-5566-8788-89aa-bbccddeeff00',
  label: 'headstart',
  contentBytes: 0,
  kernel: {
    ...{ release: '6.1', args: ['console=ttyS0', 'quiet'], vmlinux: '', initrdPlain: '' },
    ...{ vmlinuz: join(top, 'vmlinuz'), initrd: join(top, 'initrd'), loader: join(top, 'loader') },
  },
  ...changes,
});

/** Does to files what qemu-img and cp would. */
const run: RunCommand = async (argv: Argv) => {
  const [from, to] = argv.slice(-2) as [string, string];
  const offset = /offset=(\d+)/.exec(to)?.[1];
  if (offset === undefined) copyFileSync(from, to);
  else {
    const disk = await open(/file\.filename=(.*)$/.exec(to)![1]!.replaceAll(',,', ','), 'r+');
    await disk.write(readFileSync(from), 0, undefined, Number(offset));
    await disk.close();
  }
  return { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '' };
};

async function make(name: string, want?: readonly Format[], root = rootImage()) {
  const folder = join(top, name);
  mkdirSync(folder);
  const made = await makeDisk(root, { run, folder, want });
  return { ...made, folder };
}
const sum = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('makeDisk', () => {
  it('has the root at its place, and a kernel that is told where that is', async () => {
    const { raw, root, sizeBytes } = await make('a', ['raw']);
    const disk = readFileSync(raw);
    expect(disk.length).toBe(sizeBytes);
    expect(disk.subarray(129 * MIB, 131 * MIB).equals(readFileSync(join(top, 'root.ext4')))).toBe(true);
    expect(root).toMatch(/^PARTUUID=[0-9a-f-]{36}$/);
    const esp = disk.subarray(MIB, 129 * MIB).toString('latin1');
    expect(esp).toContain(`options root=${root} rw console=ttyS0 quiet\n`);
    for (const text of ['the loader', 'the vmlinuz', 'the initrd', 'timeout 0\n']) expect(esp).toContain(text);
  });

  it('is the same whenever and wherever it is made, and another for another root', async () => {
    const [one, two] = [await make('a, b', ['vhd']), await make('c', ['vhd'])];
    expect(sum(one.vhd)).toBe(sum(two.vhd));
    const other = await make('d', ['vhd'], rootImage({ uuid: '21223344-5566-8788-89aa-bbccddeeff00' }));
    expect(other.root).not.toBe(one.root);
  });

  it('makes what is wanted: the VHD is the raw disk and a footer, and leaves nothing else', async () => {
    const all = await make('all');
    expect(readdirSync(all.folder).sort()).toEqual(['disk.qcow2', 'disk.raw', 'disk.vhd']);
    const [raw, vhd] = [readFileSync(all.raw), readFileSync(all.vhd)];
    expect(vhd.subarray(0, -512).equals(raw)).toBe(true);
    expect(vhd.toString('latin1', raw.length, raw.length + 8)).toBe('conectix');
    const some = await make('some', ['qcow2', 'vhd']);
    expect(readdirSync(some.folder).sort()).toEqual(['disk.qcow2', 'disk.vhd']);
    expect(sum(some.vhd)).toBe(sum(all.vhd));
  });

  it('refuses a root that would not end at a whole MiB, arguments that are more than a line, and a kernel without room', async () => {
    writeFileSync(join(top, 'root.ext4'), Buffer.alloc(MIB + 1));
    await expect(make('odd')).rejects.toThrow('whole number of MiB');
    writeFileSync(join(top, 'root.ext4'), Buffer.alloc(MIB));
    const kernel = { ...rootImage().kernel, args: ['quiet\noptions init=/bin/sh'] };
    await expect(make('lines', undefined, rootImage({ kernel }))).rejects.toThrow('one line');
    writeFileSync(join(top, 'vmlinuz'), Buffer.alloc(128 * MIB));
    await expect(make('large')).rejects.toThrow('with room for');
  });

  it('does not write through a link that somebody put in its place', async () => {
    const folder = join(top, 'linked');
    mkdirSync(folder);
    symlinkSync(join(top, 'root.ext4'), join(folder, 'disk.raw'));
    await expect(makeDisk(rootImage(), { run, folder })).rejects.toMatchObject({ code: 'EEXIST' });
  });
});
