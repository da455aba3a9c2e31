// image/lock/lock.ts: exactly which bytes is an image made of? `image.lock.json`: sha256, size and logical origin of everything.
import type { Architecture, Install, Origin } from '../manifest/manifest.ts';

export interface ImageLock {
  apiVersion: 'headstart.dev/v1';
  kind: 'ImageLock';
  name: string;
  architecture: Architecture;
  /** Of the manifest this was made from, as it was read (comments and order of keys do not count). */
  manifestSha256: string;
  base: LockedBase;
  kubernetes: readonly string[];
  /** Without `kubernetes`: in every image. Sorted by kind, name, Kubernetes version. */
  artifacts: readonly Artifact[];
  files: readonly LockedFile[];
  disk: { budgetMb: number; warnPercent: number; sizeMb: number };
}

export interface LockedBase {
  origin: Origin;
  /** The newest day of the package indices: `2026.1116`. With `patch` it is the version in a gallery: `2026.1116.0`. */
  date: string;
  /** 0, and one more with each hotfix of the same base. */
  patch: number;
  /** The package snapshot: what the indices were, so that the same question has the same answer. */
  indices: readonly { suite: string; date: string; sha256: string }[];
}

export interface Artifact {
  component: string;
  kind: 'deb' | 'archive' | 'binary' | 'oci-image';
  version: string;
  /** Only in the image of this patch version. */
  kubernetes?: string;
  origin: Origin;
  /** Below the origin: `pool/main/c/containerd/containerd_1.6.20~ds1-1+deb12u1_amd64.deb`. */
  path: string;
  sha256: string;
  bytes: number;
  licence: string;
  /** deb: none; it knows where it belongs. */
  install?: Install;
  /** deb: asked for by the manifest, not only by another package. */
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
