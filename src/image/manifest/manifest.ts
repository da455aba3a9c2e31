// image/manifest/manifest.ts: what goes into an image? The parsed `image.yaml`, the only place where versions are written.

/** Spelt as in Debian package names. */
export type Architecture = 'amd64' | 'arm64';

/**
 * Who publishes the bytes, not which server has them: `debian:bookworm`, `upstream:kubernetes`, `local:headstart`.
 * The machine that builds decides which mirror serves an origin (mirrors.ts).
 */
export type Origin = string;

export interface Manifest {
  /** With a Kubernetes version it names the definition in a gallery: `node` → `node-1.35.8`. */
  name: string;
  base: Base;
  architectures: readonly Architecture[];
  /** Patch versions such as `1.35.8`; each becomes one image. */
  kubernetes: readonly string[];
  components: readonly Component[];
  disk: DiskBudget;
}

export interface Base {
  /** `debian:bookworm`. */
  origin: Origin;
}

export interface DiskBudget {
  /** Maximum size of the content; the build refuses a larger image. */
  budgetMb: number;
  warnPercent: number;
  /** Size of the published disk; the root partition grows to the size of the instance's disk. */
  sizeMb: number;
}

export type Component = DebComponent | FetchedComponent | FileComponent;
export type ComponentKind = Component['kind'];

interface ComponentHeader {
  /** Unique in the manifest. */
  name: string;
  /** An SPDX expression. */
  licence: string;
  /** Why the image needs it. */
  reason: string;
  /** Which updates `image update` may propose: none, patches, minors. */
  update: 'frozen' | 'patch' | 'minor';
  /** `containerd >= 1.6`, `kubernetes < 1.37`; the name is a component, `kubernetes` or `debian`. */
  constraints: readonly string[];
}

export interface DebComponent extends ComponentHeader {
  kind: 'deb';
  /** `*`, `1.6.*` or an exact version such as `252.39-1~deb12u2`. */
  version: string;
}

/** Downloaded bytes: an archive to unpack, a program, or a container image as an archive of its OCI layout. */
export interface FetchedComponent extends ComponentHeader {
  kind: 'archive' | 'binary' | 'oci-image';
  /** One version for every image, or one for each Kubernetes patch version. */
  versions: readonly FetchedVersion[];
  install: Install;
}

export interface FetchedVersion {
  version: string;
  /** Only for this patch version; undefined: for every image. */
  kubernetes?: string | undefined;
  sources: Readonly<Partial<Record<Architecture, ArtifactSource | undefined>>>;
}

export interface ArtifactSource {
  origin: Origin;
  /** Relative to the origin: `v1.35.8/bin/linux/amd64/kubelet`. */
  path: string;
  sha256: string;
}

export interface Install {
  /** binary: the file. archive: the folder to unpack into. oci-image: its name on the node, `registry.k8s.io/pause:3.10`. */
  to: string;
  /** archive: extract only these paths; `bin/` selects everything below it. */
  only?: readonly string[] | undefined;
  /** archive: number of leading folders to strip. */
  strip?: number | undefined;
}

export interface FileComponent extends ComponentHeader {
  kind: 'file';
  install: { to: string; mode: number };
  content: string;
}
