// image/build/contract.ts: what do the stages of a build give one another? Lock → root file system → disk → files to publish.

import type { Waiting } from '../../base/call-options.ts';
import type { RunCommand } from '../../base/command.ts';
import type { Cache } from '../fetch/cache.ts';
import type { ImageLock } from '../lock/lock.ts';
import type { Ext4Place } from './disk/ext4-place.ts';
import type { PlacedFile } from './files/placed-files.ts';
import type { Contributor } from './files/size-budget.ts';
import type { ToolVersions } from './tool-versions.ts';

export interface ImageBuildDeps {
  cache: Cache;
  run: RunCommand;
  isRoot: boolean;
  /** Of this machine, as far as they make bytes. */
  tools: ToolVersions;
  /** Scratch of this build, closed to others; removed whatever happens. */
  folder: string;
  signal?: AbortSignal | undefined;
  onWaiting?: Waiting | undefined;
  /** A stage, or a part of it, once it is done: a line of the table of times. */
  onDone?: ((words: string) => void) | undefined;
}

/** One image: a lock and one of its patch versions. */
export interface ImageTarget {
  lock: ImageLock;
  kubernetes: string;
}

/** What the stages make, each for those after it. */
export interface StageOutputs {
  base: BaseContent;
  root: RootPlace;
  content: RootContent;
  disk: Pick<DiskFiles, 'root' | 'sizeBytes'>;
  /** The names of all files that are published, but for the record of them. */
  names: readonly string[];
  sums: BuildRecord['files'];
  record: BuildRecord;
}

/** The base layer, besides its file system. */
export interface BaseContent {
  kernel: Omit<Kernel, 'args'>;
  packages: readonly Contributor[];
}

/** The root file system while it is written. */
export interface RootPlace {
  place: Ext4Place;
  /** All of the partition. */
  bytes: number;
  /** In it, of the components that all images share. */
  placed: readonly PlacedFile[];
}

/** The root file system when it holds everything. */
export interface RootContent {
  image: RootImage;
  /** The facts that it says of itself. */
  release: string;
  placed: readonly PlacedFile[];
  /** What the reader should know, such as that it is nearly too large. */
  warnings: readonly string[];
}

export interface RootImage {
  /** ext4, in its partition of a disk that is a hole otherwise. */
  place: Ext4Place;
  /** All of the partition. */
  bytes: number;
  /** The file system's UUID; it is in the lock's hash, not random. */
  uuid: string;
  label: string;
  kernel: Kernel;
  /** What is used of it. */
  contentBytes: number;
}

/** The bytes themselves: what was verified is what gets on the image. */
export interface Kernel {
  release: string;
  /** For the boot loader. */
  vmlinuz: Uint8Array;
  initrd: Uint8Array;
  /** For QEMU, which starts it directly: unpacked, so that no guest has to. */
  vmlinux: Uint8Array;
  initrdPlain: Uint8Array;
  /** Besides `root=`. */
  args: readonly string[];
  /** systemd's boot loader, an EFI program. */
  loader: Uint8Array;
}

export interface DiskFiles {
  raw: string;
  qcow2: string;
  /** Fixed, with Azure's alignment. */
  vhd: string;
  /** `PARTUUID=…`, for `root=`. */
  root: string;
  sizeBytes: number;
}

/** `build.json` beside the files: all facts of one build. Nothing in it depends on when or where it was made. */
export interface BuildRecord {
  apiVersion: 'headstart.dev/v1';
  kind: 'ImageBuild';
  name: string;
  /** `1.35.8-2026.1116.0`. */
  version: string;
  kubernetes: string;
  architecture: string;
  /** The lock's content as far as it concerns this image, and the builder's own part. */
  contentSha256: string;
  base: { origin: string; date: string; patch: number };
  kernelRelease: string;
  /** What a firmware or QEMU has to be told: `root=PARTUUID=… rw …`. */
  kernelArgs: string;
  root: string;
  contentBytes: number;
  diskBytes: number;
  /** By name: `disk.qcow2`, `disk.vhd`, `vmlinux`, `initrd.cpio`, `release.json`, `sbom.cdx.json`, `images.json`, `files.json`, `lock.json`. */
  files: Readonly<Record<string, { sha256: string; bytes: number }>>;
}
