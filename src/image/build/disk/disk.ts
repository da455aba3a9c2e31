// image/build/disk/disk.ts: how does a root file system become a bootable disk, in each format? Without root rights, loop devices or a VM.
import { constants } from 'node:fs';
import { type FileHandle, open, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ToolArgv } from '../../../host/required-tools.ts';
import { runTool } from '../../../host/run-tool.ts';
import type { DiskFiles, ImageBuildDeps, RootImage } from '../contract.ts';
import { bootFiles, kernelCommandLine } from './boot-files.ts';
import { derivedId } from './derived-id.ts';
import { type DiskLayout, layoutFor } from './disk-layout.ts';
import { fatFileSystem, type Piece } from './fat.ts';
import { partitionTable } from './gpt.ts';
import { vhdFooter } from './vhd.ts';

export type Format = 'raw' | 'qcow2' | 'vhd';
export type MakeDiskDeps = Pick<ImageBuildDeps, 'run' | 'signal' | 'onWaiting'>;

export const FORMATS: readonly Format[] = ['raw', 'qcow2', 'vhd'];
export const diskName = (format: Format): string => `disk.${format}`;
export const isDiskName = (name: string): boolean => FORMATS.some((format) => name === diskName(format));

/** From the Discoverable Partitions Specification. */
const TYPES = { esp: 'c12a7328-f81f-11d2-ba4b-00a0c93ec93b', root: '4f68bce3-e8cd-4db1-96e7-fbcaf984b709' } as const;
/** Flag of the partition: the file system grows with it. */
const GROW_FILE_SYSTEM = 59;

/** Makes the same bytes for the same root. Writes `disk.qcow2` and `disk.vhd` next to the raw file, which becomes the VHD if raw is not requested. */
export async function makeDisk<F extends Format = Format>(
  root: RootImage,
  deps: MakeDiskDeps & { want?: readonly F[] | undefined },
): Promise<Pick<DiskFiles, F | 'root' | 'sizeBytes'>> {
  const { onWaiting } = deps;
  const wanted: readonly Format[] = deps.want ?? FORMATS;
  const layout = layoutFor(root.bytes);
  if (root.place.startBytes !== layout.root.startBytes)
    throw new RangeError('the root file system is not at the start of its partition');
  const { file: raw } = root.place;
  const [qcow2, vhd] = [join(dirname(raw), 'disk.qcow2'), join(dirname(raw), 'disk.vhd')];
  const partition = `PARTUUID=${derivedId(root.uuid, 'root partition')}`;

  onWaiting?.('the disk');
  await writePieces(raw, layout.diskBytes, frameOf(root, layout, partition));
  if (wanted.includes('qcow2')) {
    onWaiting?.('the disk as qcow2');
    await runTool(deps.run, qcow2Argv(raw, qcow2), deps.signal);
  }
  if (wanted.includes('vhd')) {
    onWaiting?.('the disk as VHD');
    if (wanted.includes('raw')) await runTool(deps.run, ['cp', '--reflink=auto', raw, vhd], deps.signal);
    else await rename(raw, vhd);
    await append(vhd, layout.diskBytes, vhdFooter(layout.diskBytes, derivedId(root.uuid, 'VHD')));
  }
  const made: DiskFiles = { raw, qcow2, vhd, root: partition, sizeBytes: layout.diskBytes };
  return made;
}

/** Everything on the disk except the root file system. */
function frameOf({ uuid, kernel }: RootImage, layout: DiskLayout, partition: string): Piece[] {
  const { loader, vmlinuz, initrd, release } = kernel;
  const commandLine = kernelCommandLine(partition, kernel.args);
  const files = bootFiles({ loader, vmlinuz, initrd, release, commandLine });
  const serial = Number.parseInt(derivedId(uuid, 'ESP serial').slice(0, 8), 16);
  const esp = fatFileSystem(files, { ...layout.esp, serial, label: 'ESP' });
  const { head, tail } = partitionTable(layout.diskBytes, derivedId(uuid, 'disk'), [
    { ...layout.esp, type: TYPES.esp, id: derivedId(uuid, 'ESP'), name: 'esp' },
    {
      ...layout.root,
      type: TYPES.root,
      id: partition.slice('PARTUUID='.length),
      name: 'root-x86-64',
      flags: [GROW_FILE_SYSTEM],
    },
  ]);
  return [
    { at: 0, bytes: head },
    ...esp.map(({ at, bytes }) => ({ at: layout.esp.startBytes + at, bytes })),
    { at: layout.diskBytes - tail.length, bytes: tail },
  ];
}

/** Parts without a piece stay holes. */
async function writePieces(file: string, bytes: number, pieces: readonly Piece[]): Promise<void> {
  await writing(file, async (handle) => {
    await handle.truncate(bytes);
    for (const { at, bytes: piece } of pieces) await writeAll(handle, piece, at);
  });
}

async function append(file: string, at: number, bytes: Buffer): Promise<void> {
  await writing(file, (handle) => writeAll(handle, bytes, at));
}

async function writing(file: string, work: (handle: FileHandle) => Promise<void>): Promise<void> {
  const handle = await open(file, constants.O_WRONLY | constants.O_NOFOLLOW);
  try {
    await work(handle);
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, at: number): Promise<void> {
  for (let done = 0; done < bytes.length; )
    done += (await handle.write(bytes, done, bytes.length - done, at + done)).bytesWritten;
}

/** Uncompressed: compression would take longer than everything else, and publishing compresses once. Written in order, so that it is reproducible. */
function qcow2Argv(raw: string, qcow2: string): ToolArgv {
  return ['qemu-img', 'convert', '-f', 'raw', '-O', 'qcow2', raw, qcow2];
}
