// image/lock/lock.ts: exactly which bytes is an image made of? `image.lock.json` has the sha256, size and logical origin of everything.
import type { Architecture, Install, Origin } from '../manifest/manifest.ts';

export interface ImageLock {
  apiVersion: 'headstart.dev/v1';
  kind: 'ImageLock';
  name: string;
  architecture: Architecture;
  /** Hash of the parsed manifest: comments and key order do not count. */
  manifestSha256: string;
  base: LockedBase;
  kubernetes: readonly string[];
  /** An artifact without `kubernetes` is in every image. Sorted by kind, name, Kubernetes version. */
  artifacts: readonly Artifact[];
  files: readonly LockedFile[];
  disk: { budgetMb: number; warnPercent: number; sizeMb: number };
}

export interface LockedBase {
  origin: Origin;
  /** The day of the newest package index, `2026.1116`. With `patch` it is the version in a gallery: `2026.1116.0`. */
  date: string;
  /** Starts at 0; each hotfix of the same base adds one. */
  patch: number;
  /** Identifies the package lists, so that the same lists resolve to the same packages. */
  indices: readonly { suite: string; date: string; sha256: string }[];
}

export interface Artifact {
  component: string;
  kind: 'deb' | 'archive' | 'binary' | 'oci-image';
  version: string;
  /** Only in the image of this patch version. */
  kubernetes?: string;
  origin: Origin;
  /** Relative to the origin: `pool/main/c/containerd/containerd_1.6.20~ds1-1+deb12u1_amd64.deb`. */
  path: string;
  sha256: string;
  bytes: number;
  licence: string;
  /** Undefined for a deb, which contains its own paths. */
  install?: Install;
  /** deb: the manifest requests it by name; it is not only a dependency. */
  isAsked?: boolean;
}

export interface LockedFile {
  component: string;
  to: string;
  mode: number;
  sha256: string;
  content: string;
  licence: string;
}
