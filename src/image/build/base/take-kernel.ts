// image/build/base/take-kernel.ts: which files boot an installed system? Kernel, initrd and boot loader, moved out of its root file system.
import { copyFile, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import type { RunCommand } from '../../../base/command.ts';
import { UserError } from '../../../base/errors.ts';
import { type Unsupported, unpackKernel } from '../../../host/debian/unpack-kernel.ts';
import { isMissing } from '../../../host/json-file.ts';
import { runTool } from '../../../host/run-tool.ts';

/** Their names in the layer folder. */
export const KERNEL_FILES = {
  vmlinuz: 'vmlinuz',
  initrd: 'initrd.img',
  vmlinux: 'vmlinux',
  initrdPlain: 'initrd.cpio',
  loader: 'loader.efi',
} as const;

const UNSUPPORTED: Unsupported = {
  code: 'image/kernel-unsupported',
  what: 'the kernel of the locked packages',
  kept: 'No image was built.',
  next: 'use another linux-image-… package in the manifest, then run: headstart image lock',
};

export interface TakeKernelDeps {
  run: RunCommand;
  /** The files belong to root, or to users of a namespace. */
  runAsRoot: RunCommand;
  signal?: AbortSignal | undefined;
}

/** Moves them out of the root file system, because the booted system does not read them. Returns the kernel release. */
export async function takeKernel(
  rootfs: string,
  layer: string,
  { run, runAsRoot, signal }: TakeKernelDeps,
): Promise<string> {
  const boot = join(rootfs, 'boot');
  const releases = (await readdir(boot)).flatMap((name) => /^vmlinuz-(.+)$/.exec(name)?.[1] ?? []);
  const [release] = releases;
  if (release === undefined || releases.length > 1)
    throw incomplete(
      `has ${releases.length === 0 ? 'no kernel' : `the kernels ${releases.join(', ')}`}`,
      'one package linux-image-…',
    );
  const inRoot = { vmlinuz: join(boot, `vmlinuz-${release}`), initrd: join(boot, `initrd.img-${release}`) };
  const loader = join(rootfs, 'usr/lib/systemd/boot/efi/systemd-bootx64.efi');
  await take(inRoot.vmlinuz, join(layer, KERNEL_FILES.vmlinuz), 'readable kernel', 'one package linux-image-…');
  await take(inRoot.initrd, join(layer, KERNEL_FILES.initrd), 'initrd', 'the package initramfs-tools');
  await take(loader, join(layer, KERNEL_FILES.loader), 'boot loader', 'the package systemd-boot-efi');
  await writeFile(
    join(layer, KERNEL_FILES.vmlinux),
    await unpackKernel(await readFile(inRoot.vmlinuz), { run, signal }, UNSUPPORTED),
  );
  await writeFile(join(layer, KERNEL_FILES.initrdPlain), gunzipSync(await readFile(inRoot.initrd)));
  await runTool(runAsRoot, ['rm', '-f', inRoot.vmlinuz, inRoot.initrd], signal);
  return release;
}

async function take(from: string, to: string, what: string, needed: string): Promise<void> {
  try {
    await copyFile(from, to);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw incomplete(`has no ${what}`, needed);
  }
}

function incomplete(what: string, needed: string): UserError {
  return new UserError(`the system of the locked packages ${what}`, {
    code: 'image/incomplete',
    kept: 'No image was built.',
    next: `put ${needed} into the manifest, then run: headstart image lock`,
    exitCode: 1,
  });
}
