import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RunCommand } from '../../../base/command.ts';
import { aKernel } from '../../../host/debian/kernels.testing.ts';
import { takeKernel } from './take-kernel.ts';

let top: string;
let layer: string;
beforeEach(() => {
  top = mkdtempSync(join(tmpdir(), 'headstart-kernel-'));
  layer = join(top, 'layer');
  for (const folder of ['root/boot', 'root/usr/lib/systemd/boot/efi', 'layer'])
    mkdirSync(join(top, folder), { recursive: true });
});
afterEach(() => rmSync(top, { recursive: true }));

const removed: string[] = [];
const run: RunCommand = async (argv) => {
  if (argv.includes('rm')) removed.push(...argv.filter((word) => word.includes('/boot/')));
  return { outcome: 'exited', code: 0, stdout: Buffer.alloc(0), stderr: '' };
};
const put = (path: string, bytes: Uint8Array) => writeFileSync(join(top, 'root', path), bytes);
const take = () => takeKernel(join(top, 'root'), layer, { run, runAsRoot: run });

describe('takeKernel', () => {
  it('moves the kernel out of the root, compressed for firmware and uncompressed for QEMU', async () => {
    put('boot/vmlinuz-6.1.0', aKernel());
    put('boot/initrd.img-6.1.0', gzipSync('cpio'));
    put('usr/lib/systemd/boot/efi/systemd-bootx64.efi', Buffer.from('MZ'));
    expect(await take()).toBe('6.1.0');
    expect(readFileSync(join(layer, 'initrd.cpio'), 'utf8')).toBe('cpio');
    expect(readFileSync(join(layer, 'loader.efi'), 'utf8')).toBe('MZ');
    expect(readFileSync(join(layer, 'vmlinux')).toString('latin1', 1, 4)).toBe('ELF');
    expect(removed.map((path) => path.replace(/.*\//, ''))).toEqual(['vmlinuz-6.1.0', 'initrd.img-6.1.0']);
  });

  it.each([
    ['no kernel', [], /has no kernel/, 'linux-image'],
    ['two kernels', ['boot/vmlinuz-6.1.0', 'boot/vmlinuz-6.2.0'], /the kernels 6\.1\.0, 6\.2\.0/, 'linux-image'],
    ['no initrd', ['boot/vmlinuz-6.1.0'], /has no initrd/, 'initramfs-tools'],
    ['no boot loader', ['boot/vmlinuz-6.1.0', 'boot/initrd.img-6.1.0'], /has no boot loader/, 'systemd-boot-efi'],
  ])('names the missing package: %s', async (_, files, message, needed) => {
    for (const file of files) put(file, file.includes('vmlinuz') ? aKernel() : gzipSync('cpio'));
    await expect(take()).rejects.toMatchObject({
      code: 'image/incomplete',
      message: expect.stringMatching(message),
      next: expect.stringContaining(needed),
    });
  });
});
