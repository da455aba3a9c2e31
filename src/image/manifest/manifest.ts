// image/manifest/manifest.ts: what goes into an image? `image.yaml`, once it has been read: the one place where versions are written.

/** Debian's names, as packages spell them. */
export type Architecture = 'amd64' | 'arm64';

/**
 * Who publishes the bytes, never which server gives them: `debian:bookworm`, `upstream:kubernetes`, `local:headstart`.
 * Which mirror serves an origin is a matter of the machine that builds (mirrors.ts).
 */
export type Origin = string;

export interface Manifest {
  /** The image's name; with a Kubernetes version it names the definition in a gallery: `node` → `node-1.35.8`. */
  name: string;
  base: Base;
  architectures: readonly Architecture[];
  /** Patch versions, each of which becomes an image: `1.35.8`. */
  kubernetes: readonly string[];
  components: readonly Component[];
  disk: DiskBudget;
}

export interface Base {
  /** `debian:bookworm`. */
  origin: Origin;
}

export interface DiskBudget {
  /** What content may take: an image that is larger is not made. */
  budgetMb: number;
  warnPercent: number;
  /** Of the disk as it is published; the root grows to what the instance has. */
  sizeMb: number;
}

export type Component = DebComponent | FetchedComponent | FileComponent;
export type ComponentKind = Component['kind'];

interface ComponentHeader {
  /** Unique in the manifest. */
  name: string;
  /** An SPDX expression. */
  licence: string;
  /** Why it is on the image at all. */
  reason: string;
  /** What `image update` may propose: nothing, patches, minors. */
  update: 'frozen' | 'patch' | 'minor';
  /** `containerd >= 1.6`, `kubernetes < 1.37`: of other components, or of `kubernetes` and `debian`. */
  constraints: readonly string[];
}

export interface DebComponent extends ComponentHeader {
  kind: 'deb';
  /** Anything else than `*` and it has to be that: `1.6.*`, `252.39-1~deb12u2`. */
  version: string;
}

/** Bytes from somewhere: an archive that is unpacked, a program, an OCI image as an archive of its layout. */
export interface FetchedComponent extends ComponentHeader {
  kind: 'archive' | 'binary' | 'oci-image';
  /** One version for every image, or one for each Kubernetes patch version. */
  versions: readonly FetchedVersion[];
  install: Install;
}

export interface FetchedVersion {
  version: string;
  /** Only for this patch version; without it, for all. */
  kubernetes?: string | undefined;
  sources: Readonly<Partial<Record<Architecture, ArtifactSource | undefined>>>;
}

export interface ArtifactSource {
  origin: Origin;
  /** Below the origin: `v1.35.8/bin/linux/amd64/kubelet`. */
  path: string;
  sha256: string;
}

export interface Install {
  /** binary: the file. archive: the folder it is unpacked into. oci-image: the name it is to have, `registry.k8s.io/pause:3.10`. */
  to: string;
  /** archive: only these, by their path in it; `bin/` takes what is below. */
  only?: readonly string[] | undefined;
  /** archive: so many leading folders are left off. */
  strip?: number | undefined;
}

export interface FileComponent extends ComponentHeader {
  kind: 'file';
  install: { to: string; mode: number };
  content: string;
}
