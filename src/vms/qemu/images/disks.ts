// vms/qemu/images/disks.ts: make, copy, flatten, compress and measure disks with qemu-img. Nothing is mounted.
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

/** Makes a copy-on-write disk based on `backing`. Replaces an existing disk atomically. */
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

/** The copy has the same backing file, with the path relative to its new folder. Cheap on file systems with reflinks. */
export async function copyOverlay(
  { run, signal }: QemuImgDeps,
  { from, to, backing }: { from: string; to: string; backing: string },
): Promise<void> {
  await runTool(run, ['cp', '--reflink=auto', '--no-dereference', from, to], signal);
  const below = relativePath(dirname(to), backing);
  await runTool(run, ['qemu-img', 'rebase', '-q', '-u', '-f', 'qcow2', '-F', 'qcow2', '-b', below, to], signal);
}

/** Writes one raw file, byte for byte what the guest sees: unlike qcow2, edits leave no old bytes in unused clusters. */
export async function flatten({ run, signal }: QemuImgDeps, from: string, to: string): Promise<void> {
  await runTool(run, ['qemu-img', 'convert', '-f', 'qcow2', '-O', 'raw', from, to], signal);
}

/** `format` is that of `from`. It must be given: a guest could write bytes that make qemu-img detect another format. */
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

/** virtual: the size the guest sees; actual: the space used on this machine, without the backing file. */
export async function diskSize(
  { run, signal }: QemuImgDeps,
  file: string,
): Promise<{ virtualBytes: number; actualBytes: number }> {
  const text = await runTool(run, ['qemu-img', 'info', '--force-share', '--output=json', file], signal);
  const { 'virtual-size': virtualBytes, 'actual-size': actualBytes } = infoSchema.parse(JSON.parse(text));
  return { virtualBytes, actualBytes };
}

/** Size of the disk when flattened and uncompressed. */
export async function flatBytes({ run, signal }: QemuImgDeps, file: string): Promise<number> {
  const text = await runTool(run, ['qemu-img', 'measure', '--output=json', '-O', 'qcow2', file], signal);
  return measureSchema.parse(JSON.parse(text)).required;
}

export const toGib = (bytes: number) => Math.ceil(bytes / GIB);
export const fromGib = (gib: number) => gib * GIB;
