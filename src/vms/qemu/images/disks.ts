// vms/qemu/images/disks.ts: make, copy, flatten, and compress disks, and say how large they are. All of it with qemu-img; nothing is mounted.
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import type { RunCommand } from '../../../base/command.ts';
import { runTool } from '../../../host/run-tool.ts';
import { partialPrefix } from '../../../host/whole-folders.ts';
import { relativePath } from '../home/layout.ts';

const GIB = 2 ** 30;
const infoSchema = z.object({ 'virtual-size': z.number(), 'actual-size': z.number() });
const measureSchema = z.object({ required: z.number() });

export interface QemuImgDeps {
  run: RunCommand;
  signal?: AbortSignal | undefined;
}

/** A disk of its own that shares all it has not changed with `backing`. One that was there is replaced, at the end and at once. */
export async function makeOverlay(
  { run, signal }: QemuImgDeps,
  { file, backing, bytes }: { file: string; backing: string; bytes: number },
): Promise<void> {
  const made = join(dirname(file), `${partialPrefix}disk`);
  const below = relativePath(dirname(file), backing);
  await runTool(
    run,
    ['qemu-img', 'create', '-q', '-f', 'qcow2', '-F', 'qcow2', '-b', below, made, String(bytes)],
    signal,
  );
  await rename(made, file);
}

/** The copy stands on the same version, seen from another folder. Cheap where the file system can share blocks. */
export async function copyOverlay(
  { run, signal }: QemuImgDeps,
  { from, to, backing }: { from: string; to: string; backing: string },
): Promise<void> {
  await runTool(run, ['cp', '--reflink=auto', '--no-dereference', from, to], signal);
  const below = relativePath(dirname(to), backing);
  await runTool(run, ['qemu-img', 'rebase', '-q', '-u', '-f', 'qcow2', '-F', 'qcow2', '-b', below, to], signal);
}

/** One file that needs no other, byte for byte what the guest sees: whoever edits it leaves no remainder in unused parts of a format. */
export async function flatten({ run, signal }: QemuImgDeps, from: string, to: string): Promise<void> {
  await runTool(run, ['qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', from, to], signal);
}

/** `format` is what `from` is in: guessing it would let a guest's own bytes decide. */
export async function compress(
  { run, signal }: QemuImgDeps,
  { from, format, to }: { from: string; format: 'raw' | 'qcow2'; to: string },
): Promise<void> {
  await runTool(
    run,
    ['qemu-img', 'convert', '-f', format, '-c', '-o', 'compression_type=zstd', '-O', 'qcow2', from, to],
    signal,
  );
}

/** virtual: what a guest sees; actual: what it takes on this machine, without what is below it. */
export async function diskSize(
  { run, signal }: QemuImgDeps,
  file: string,
): Promise<{ virtualBytes: number; actualBytes: number }> {
  const text = await runTool(run, ['qemu-img', 'info', '--force-share', '--output=json', file], signal);
  const { 'virtual-size': virtualBytes, 'actual-size': actualBytes } = infoSchema.parse(JSON.parse(text));
  return { virtualBytes, actualBytes };
}

/** How large the disk is flattened, uncompressed. */
export async function flatBytes({ run, signal }: QemuImgDeps, file: string): Promise<number> {
  const text = await runTool(run, ['qemu-img', 'measure', '--output=json', '-O', 'qcow2', file], signal);
  return measureSchema.parse(JSON.parse(text)).required;
}

export const toGib = (bytes: number) => Math.ceil(bytes / GIB);
export const fromGib = (gib: number) => gib * GIB;
