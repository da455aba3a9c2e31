// image/build/contract.ts: what do the stages of a build pass to each other? Lock → root file system → disk → files to publish.

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
  /** Versions of the tools that affect the bytes of an image. */
  tools: ToolVersions;
  /** Scratch folder that other users cannot read; always removed at the end. */
  folder: string;
  signal?: AbortSignal | undefined;
  onWaiting?: Waiting | undefined;
  /** Called when a stage or a part of it is done; adds a row to the table of times. */
  onDone?: ((words: string) => void) | undefined;
}

/** One image: a lock and one of its Kubernetes versions. */
export interface ImageTarget {
  lock: ImageLock;
  kubernetes: string;
}

/** The outputs of all stages; later stages use them as input. */
export interface StageOutputs {
  base: BaseContent;
  root: RootPlace;
  content: RootContent;
  disk: Pick<DiskFiles, 'root' | 'sizeBytes'>;
  /** The names of all published files except the build record. */
  names: readonly string[];
  sums: BuildRecord['files'];
  record: BuildRecord;
}

/** The content of the base layer besides its file system. */
export interface BaseContent {
  kernel: Omit<Kernel, 'args'>;
  packages: readonly Contributor[];
}

/** The root file system while it is being written. */
export interface RootPlace {
  place: Ext4Place;
  /** Size of the whole partition. */
  bytes: number;
  /** Files of the components that all images share. */
  placed: readonly PlacedFile[];
}

/** The complete root file system. */
export interface RootContent {
  image: RootImage;
  /** The content of release.json. */
  release: string;
  placed: readonly PlacedFile[];
  /** Warnings for the user, for example that the image is close to its budget. */
  warnings: readonly string[];
}

export interface RootImage {
  /** An ext4 file system in its partition of an otherwise empty disk. */
  place: Ext4Place;
  /** Size of the whole partition. */
  bytes: number;
  /** The file system's UUID, derived from the content hash instead of random. */
  uuid: string;
  label: string;
  kernel: Kernel;
  /** Used bytes. */
  contentBytes: number;
}

/** The file contents instead of paths: the verified bytes are the ones that are written. */
export interface Kernel {
  release: string;
  /** Compressed, for the boot loader. */
  vmlinuz: Uint8Array;
  initrd: Uint8Array;
  /** Uncompressed, for QEMU, which boots them directly: the guest does not have to decompress them. */
  vmlinux: Uint8Array;
  initrdPlain: Uint8Array;
  /** Arguments besides `root=`. */
  args: readonly string[];
  /** systemd-boot, an EFI program. */
  loader: Uint8Array;
}

export interface DiskFiles {
  raw: string;
  qcow2: string;
  /** Fixed-size VHD with the alignment that Azure requires. */
  vhd: string;
  /** `PARTUUID=…`, for `root=`. */
  root: string;
  sizeBytes: number;
}

/** `build.json`: all facts of one build. Nothing in it depends on the time or the machine. */
export interface BuildRecord {
  apiVersion: 'headstart.dev/v1';
  kind: 'ImageBuild';
  name: string;
  /** `1.35.8-2026.1116.0`. */
  version: string;
  kubernetes: string;
  architecture: string;
  /** Hash of the part of the lock that this image uses, and of the builder. */
  contentSha256: string;
  base: { origin: string; date: string; patch: number };
  kernelRelease: string;
  /** Kernel arguments for firmware or QEMU: `root=PARTUUID=… rw …`. */
  kernelArgs: string;
  root: string;
  contentBytes: number;
  diskBytes: number;
  /** By name: `disk.qcow2`, `disk.vhd`, `vmlinux`, `initrd.cpio`, `release.json`, `sbom.cdx.json`, `images.json`, `files.json`, `lock.json`. */
  files: Readonly<Record<string, { sha256: string; bytes: number }>>;
}
