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
import type { Argv, RunCommand } from '../../../base/command.ts';
import type { RootImage } from '../contract.ts';
import { type Format, makeDisk } from './disk.ts';

const MIB = 2 ** 20;
const ROOT = Buffer.alloc(2 * MIB, 'root ');
let top: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'headstart-disk-'));
});
afterEach(() => rmSync(top, { recursive: true }));

type Changes = Partial<Omit<RootImage, 'place' | 'kernel'>> & { kernel?: Partial<RootImage['kernel']> };

const rootImage = (file: string, { kernel, ...changes }: Changes = {}): RootImage => ({
  place: { file, startBytes: 129 * MIB },
  bytes: ROOT.length,
  uuid: '11223344-5566-8788-89aa-bbccddeeff00',
  label: 'headstart',
  contentBytes: 0,
  kernel: {
    ...{ release: '6.1', args: ['console=ttyS0', 'quiet'], vmlinux: Buffer.of(), initrdPlain: Buffer.of() },
    ...{ vmlinuz: Buffer.from('the vmlinuz'), initrd: Buffer.from('the initrd'), loader: Buffer.from('the loader') },
    ...kernel,
  },
  ...changes,
});

/** Fakes qemu-img and cp on real files. */
const run: RunCommand = async (argv: Argv) => {
  const [from, to] = argv.slice(-2) as [string, string];
  copyFileSync(from, to);
  return { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '' };
};

async function make(name: string, want?: readonly Format[], changes: Changes = {}) {
  const folder = join(top, name);
  mkdirSync(folder);
  const file = join(folder, 'disk.raw');
  const disk = await open(file, 'wx');
  await disk.write(ROOT, 0, undefined, 129 * MIB);
  await disk.close();
  const made = await makeDisk(rootImage(file, changes), { run, want });
  return { ...made, folder };
}
const sum = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

describe('makeDisk', () => {
  it('puts the root at its offset and its PARTUUID into the kernel arguments', async () => {
    const { raw, root, sizeBytes } = await make('a', ['raw']);
    const disk = readFileSync(raw);
    expect(disk.length).toBe(sizeBytes);
    expect(disk.subarray(129 * MIB, 131 * MIB).equals(ROOT)).toBe(true);
    expect(root).toMatch(/^PARTUUID=[0-9a-f-]{36}$/);
    const esp = disk.subarray(MIB, 129 * MIB).toString('latin1');
    expect(esp).toContain(`options root=${root} rw rootflags=noatime console=ttyS0 quiet\n`);
    for (const text of ['the loader', 'the vmlinuz', 'the initrd', 'timeout 0\n']) expect(esp).toContain(text);
  });

  it('makes the same bytes for the same root, and others for another root', async () => {
    const [one, two] = [await make('a, b', ['vhd']), await make('c', ['vhd'])];
    expect(sum(one.vhd)).toBe(sum(two.vhd));
    const other = await make('d', ['vhd'], { uuid: '21223344-5566-8788-89aa-bbccddeeff00' });
    expect(other.root).not.toBe(one.root);
  });

  it('makes only the requested formats; the VHD is the raw disk plus a footer', async () => {
    const all = await make('all');
    expect(readdirSync(all.folder).sort()).toEqual(['disk.qcow2', 'disk.raw', 'disk.vhd']);
    const [raw, vhd] = [readFileSync(all.raw), readFileSync(all.vhd)];
    expect(vhd.subarray(0, -512).equals(raw)).toBe(true);
    expect(vhd.toString('latin1', raw.length, raw.length + 8)).toBe('conectix');
    const some = await make('some', ['qcow2', 'vhd']);
    expect(readdirSync(some.folder).sort()).toEqual(['disk.qcow2', 'disk.vhd']);
    expect(sum(some.vhd)).toBe(sum(all.vhd));
  });

  it('refuses a root that is not MiB-aligned, multi-line kernel arguments, and a kernel that does not fit', async () => {
    await expect(make('odd', undefined, { bytes: MIB + 1 })).rejects.toThrow('whole number of MiB');
    const kernel = { args: ['quiet\noptions init=/bin/sh'] };
    await expect(make('lines', undefined, { kernel })).rejects.toThrow('one line');
    const vmlinuz = Buffer.alloc(128 * MIB);
    await expect(make('large', undefined, { kernel: { vmlinuz } })).rejects.toThrow('do not fit');
  });

  it('refuses to write through a link, and a root at another offset', async () => {
    writeFileSync(join(top, 'theirs'), 'theirs');
    symlinkSync(join(top, 'theirs'), join(top, 'disk.raw'));
    const root = rootImage(join(top, 'disk.raw'));
    await expect(makeDisk(root, { run })).rejects.toMatchObject({ code: 'ELOOP' });
    const elsewhere = { ...root, place: { ...root.place, startBytes: MIB } };
    await expect(makeDisk(elsewhere, { run })).rejects.toThrow('not at the start of its partition');
  });
});
