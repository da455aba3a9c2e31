// e2e/put-on-disk.ts: files onto an ext4 file system that nobody has mounted: no VM, no root, no loop device.
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Argv, RunCommand } from '../src/base/command.ts';

/** Paths are from the root of the file system; all of it is root's. */
export type DiskFile =
  | { path: string; mode: number; bytes: Uint8Array | string }
  | { path: string /** A large one, as it is in a file of this machine. */; mode: number; from: string }
  | { path: string /** A symbolic link. */; to: string };

const DEADLINE_MS = 10 * 60_000;

/** What is there under a name is replaced. Throws unless all of it can be read back afterwards, and the file system is sound. */
export async function putOnDisk(disk: string, files: readonly DiskFile[], edges: { run: RunCommand; folder: string }) {
  mkdirSync(edges.folder, { recursive: true });
  const sources = files.map((file, index) => ('to' in file ? '' : sourceOf(file, join(edges.folder, `file-${index}`))));
  const lines = [
    ...foldersOf(files).map((folder) => `mkdir "${folder}"`), // there already: an error that does not matter
    ...files.flatMap((file, index) => [`rm "/${file.path}"`, ...placing(file, sources[index]!)]),
  ];
  const script = join(edges.folder, 'debugfs.txt');
  writeFileSync(script, `${lines.join('\n')}\n`);
  await tool(['debugfs', '-w', '-f', script, disk], edges.run);
  // 1: something was put right, which is no more than counts that debugfs leaves to it.
  await tool(['e2fsck', '-f', '-p', disk], edges.run, [0, 1]);
  for (const [index, file] of files.entries()) await expectOnDisk(disk, file, sources[index]!, edges);
}

function sourceOf(file: Exclude<DiskFile, { to: string }>, place: string): string {
  if ('from' in file) return file.from;
  writeFileSync(place, file.bytes);
  return place;
}

/** Outermost first. */
function foldersOf(files: readonly DiskFile[]): string[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    for (let folder = dirname(`/${path}`); folder !== '/'; folder = dirname(folder)) folders.add(folder);
  }
  return [...folders].sort();
}

function placing(file: DiskFile, source: string): string[] {
  const place = `"/${file.path}"`;
  if ('to' in file) return [`symlink ${place} "${file.to}"`];
  const mode = (0o100000 | file.mode).toString(8);
  return [`write "${source}" ${place}`, `sif ${place} mode 0${mode}`, `sif ${place} uid 0`, `sif ${place} gid 0`];
}

async function expectOnDisk(
  disk: string,
  file: DiskFile,
  source: string,
  { run, folder }: { run: RunCommand; folder: string },
) {
  const stat = await tool(['debugfs', '-R', `stat "/${file.path}"`, disk], run);
  if ('to' in file) {
    if (stat.includes(`Fast link dest: "${file.to}"`)) return;
    throw new Error(`${file.path} is not a link to ${file.to} on the disk:\n${stat}`);
  }
  const copy = join(folder, 'copy');
  await tool(['debugfs', '-R', `dump "/${file.path}" "${copy}"`, disk], run);
  const sum = (path: string) => createHash('sha256').update(readFileSync(path)).digest('hex');
  const mode = file.mode.toString(8).padStart(4, '0');
  if (sum(copy) !== sum(source) || !new RegExp(`Mode: +${mode} `).test(stat) || !/User: +0 +Group: +0 /.test(stat)) {
    throw new Error(`${file.path} is not on the disk as it was given:\n${stat}`);
  }
}

async function tool(argv: Argv, run: RunCommand, good: readonly number[] = [0]): Promise<string> {
  const ran = await run(argv, { timeoutMs: DEADLINE_MS });
  if (ran.code === null || !good.includes(ran.code)) {
    throw new Error(`${argv.join(' ')}: ${ran.outcome} ${ran.code}: ${ran.stderr}${ran.stdout}`);
  }
  return ran.stdout.toString();
}
