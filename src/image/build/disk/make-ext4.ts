// image/build/disk/make-ext4.ts: how does a folder become an ext4 file system whose bytes depend only on the folder's content?
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunCommand } from '../../../base/command.ts';
import { runTool } from '../../../host/run-tool.ts';
import { atTime } from './ext4-place.ts';

export interface Ext4 {
  file: string;
  bytes: number;
  uuid: string;
  label: string;
  epochSec: number;
}

export interface Ext4Deps {
  /** Runs in the namespace in which the folder's owners are correct. */
  runAsRoot: RunCommand;
  folder: string;
  signal?: AbortSignal | undefined;
}

/**
 * Listed explicitly, because /etc/mke2fs.conf differs between machines. metadata_csum_seed separates the checksums from the UUID, so that
 * changing the UUID does not rewrite all metadata.
 */
const FEATURES = [
  ...['none', 'has_journal', 'ext_attr', 'resize_inode', 'dir_index', 'filetype', 'extent', '64bit', 'flex_bg'],
  ...['sparse_super', 'large_file', 'huge_file', 'dir_nlink', 'extra_isize', 'metadata_csum', 'metadata_csum_seed'],
];

export async function makeExt4(rootfs: string, ext4: Ext4, { runAsRoot, folder, signal }: Ext4Deps): Promise<void> {
  const { file, bytes, epochSec } = ext4;
  const options = ext4Options(ext4);
  await resetTimes(rootfs, epochSec, runAsRoot, signal);
  await runTool(
    runAsRoot,
    atTime(epochSec, ['mke2fs', ...options, '-d', rootfs, file, `${bytes / 1024}k`], ['MKE2FS_CONFIG=/dev/null']),
    signal,
  );
  const script = join(folder, 'times.txt');
  const facts = await runTool(runAsRoot, ['dumpe2fs', '-h', file], signal);
  writeFileSync(script, timesScript(usedInodes(facts), epochSec));
  await runTool(runAsRoot, atTime(epochSec, ['debugfs', '-w', '-f', script, file]), signal);
}

export function ext4Options({ uuid, label }: Pick<Ext4, 'uuid' | 'label'>): string[] {
  return [
    ...['-q', '-F', '-t', 'ext4', '-b', '4096', '-I', '256', '-i', '16384', '-m', '1', '-L', label, '-U', uuid],
    // Stored in the superblock: on an error the kernel remounts the file system read-only.
    ...['-e', 'remount-ro'],
    // Leaves nothing to initialise on the first boot.
    ...['-E', `hash_seed=${uuid},lazy_itable_init=0,lazy_journal_init=0`],
    ...['-O', FEATURES.join(',')],
  ];
}

/** Files that the build created get the epoch; files of packages keep their times. */
async function resetTimes(
  rootfs: string,
  epochSec: number,
  runAsRoot: RunCommand,
  signal?: AbortSignal,
): Promise<void> {
  const [moment, touch] = [`@${epochSec}`, ['touch', '--no-dereference', `--date=@${epochSec}`, '{}', '+']];
  await runTool(runAsRoot, ['find', rootfs, '-newermt', moment, '-exec', ...touch], signal);
}

const FIRST_INODE = 11;
const ROOT_INODE = 2;

/**
 * mke2fs copies the atime and ctime of files, and ctime cannot be set on the host. It assigns inodes consecutively, so the used inodes are
 * the root's and all from the first one on.
 */
export function timesScript(used: number, epochSec: number): string {
  const inodes = [ROOT_INODE, ...Array.from({ length: used - FIRST_INODE + 1 }, (_, index) => FIRST_INODE + index)];
  const lines = inodes.flatMap((inode) => ['atime', 'ctime'].map((field) => `sif <${inode}> ${field} @${epochSec}`));
  return `${lines.join('\n')}\n`;
}

export function usedInodes(facts: string): number {
  const field = (name: string) => Number(new RegExp(`^${name}: +(\\d+)$`, 'm').exec(facts)?.[1]);
  const used = field('Inode count') - field('Free inodes');
  if (Number.isInteger(used) && used >= FIRST_INODE) return used;
  throw new Error('dumpe2fs does not report the used inodes');
}
