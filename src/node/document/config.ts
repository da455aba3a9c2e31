// node/document/config.ts: what should this node be? One type for all versions of the document: defaults are filled in,
// expressions are evaluated for this machine, secrets are wrapped. Everything after document.ts reads this type.
import type { Secret } from '../../base/secret.ts';
import type { JsonObject } from '../../schema/json.ts';

export interface NodeConfig {
  generation: number;
  /** Who or what made this document, for status and logs. */
  id?: string | undefined;
  notBeforeMs?: number | undefined;
  expiresMs?: number | undefined;

  /** Always the version on the image; document.ts refuses any other. `1.34.2`, no `v`. */
  kubernetesVersion: string;
  /** Absent = kubelet runs standalone (static pods only), and `join` is absent too. */
  cluster?: ClusterConfig | undefined;
  join?: JoinConfig | undefined;
  /** Lower case. Absent = the name the platform gave the instance. */
  hostName?: string | undefined;
  kubelet: KubeletSettings;
  /** For registration. Contains no keys that NodeRestriction forbids kubelet to set. */
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  containerd: ContainerdSettings;
  network: NetworkSettings;
  /** Absent = none. */
  proxy?: ProxySettings | undefined;
  /** CA certificates (PEM) to trust in addition to those of the image, by name. */
  trustedCertificates: Readonly<Record<string, string>>;
  os: OsSettings;
  storage: StorageSettings;
  ssh: SshSettings;
  metadataAccess: MetadataAccess;
  /** By absolute path, already inside the allowed folders. */
  files: Readonly<Record<string, FileSpec>>;
  /** By unit name with its suffix. */
  units: Readonly<Record<string, UnitSpec>>;
  features: Readonly<Record<string, boolean>>;
  update: UpdatePolicy;
}

export interface ClusterConfig {
  name: string;
  /** `https://host:port`, without a path. */
  endpoint: string;
  /** PEM. */
  certificateAuthority: string;
  dnsAddresses: readonly string[];
  dnsDomain: string;
  serviceCidrs: readonly string[];
  podCidrs: readonly string[];
}

/** How kubelet gets its first credential. */
export type JoinConfig =
  /** A program on the image prints a credential derived from the instance's identity; the document contains no secret. */
  | {
      method: 'exec';
      apiVersion: string;
      command: string;
      args: readonly string[];
      env: Readonly<Record<string, string>>;
    }
  /** The systemd credential with this name is a bootstrap kubeconfig; it is not in the document. */
  | { method: 'credential'; name: string }
  /** A bootstrap token in the document. Discouraged: anyone who can read the instance metadata can read it. */
  | { method: 'token'; token: Secret; expiresMs?: number | undefined }
  /** A kubeconfig is already on the node. */
  | { method: 'existing' };

export interface ReservedResources {
  cpuMillis?: number | undefined;
  memoryBytes?: number | undefined;
  ephemeralStorageBytes?: number | undefined;
  pids?: number | undefined;
}

/** An absent field keeps the value of the image's kubelet configuration. */
export interface KubeletSettings {
  maxPods?: number | undefined;
  podPidsLimit?: number | undefined;
  systemReserved: ReservedResources;
  kubeReserved: ReservedResources;
  /** As kubelet spells them: `memory.available: 100Mi`. */
  evictionHard?: Readonly<Record<string, string>> | undefined;
  imageGcHighPercent?: number | undefined;
  imageGcLowPercent?: number | undefined;
  containerLogMaxBytes?: number | undefined;
  containerLogMaxFiles?: number | undefined;
  cpuManagerPolicy?: 'none' | 'static' | undefined;
  memoryManagerPolicy?: 'None' | 'Static' | undefined;
  topologyManagerPolicy?: 'none' | 'best-effort' | 'restricted' | 'single-numa-node' | undefined;
  shutdownGraceMs?: number | undefined;
  shutdownGraceCriticalMs?: number | undefined;
  maxParallelImagePulls?: number | undefined;
  serverTlsBootstrap?: boolean | undefined;
  staticPodPath?: string | undefined;
  featureGates: Readonly<Record<string, boolean>>;
  /** `--v`. */
  verbosity?: number | undefined;
  /** Other command-line flags by name without dashes; the schema refuses those that headstart sets. */
  flags: Readonly<Record<string, string>>;
  credentialProvider?: { config: JsonObject; binDir: string } | undefined;
  /** KubeletConfiguration fields, merged over all fields above; without apiVersion and kind. */
  config: JsonObject;
}

export interface Taint {
  key: string;
  value?: string | undefined;
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** An absent field keeps the value of the image's containerd configuration. */
export interface ContainerdSettings {
  /** By registry host, `docker.io`, `registry:5000`, or `_default`. */
  registries: Readonly<Record<string, RegistrySpec>>;
  runtimes: Readonly<Record<string, { type: string; options: JsonObject }>>;
  defaultRuntime?: string | undefined;
  sandboxImage?: string | undefined;
  snapshotter?: string | undefined;
  maxConcurrentDownloads?: number | undefined;
  /** LimitNOFILE= of the containerd unit. */
  openFilesLimit?: number | undefined;
  /** Appended unchanged to the rendered configuration. */
  toml?: string | undefined;
}

export interface RegistrySpec {
  /** Used if no mirror answers; absent = `https://` and the host. */
  server?: string | undefined;
  /** Tried in this order. */
  mirrors: readonly RegistryMirror[];
}

export interface RegistryMirror {
  url: string;
  capabilities: readonly ('pull' | 'resolve' | 'push')[];
  overridePath: boolean;
  skipVerify: boolean;
  /** PEM. */
  certificateAuthority?: string | undefined;
}

export interface NetworkSettings {
  /** primary: the address the platform assigned to the first interface · kubelet: kubelet chooses · fixed: `nodeAddresses`. */
  nodeIp: 'primary' | 'kubelet' | 'fixed';
  nodeAddresses: readonly string[];
  dnsServers: readonly string[];
  searchDomains: readonly string[];
  mtu?: number | undefined;
}

export interface ProxySettings {
  /** Secret: the URL may contain a password. */
  http?: Secret | undefined;
  https?: Secret | undefined;
  /** As in the document; the proxy aspect adds the metadata service, services and pods. */
  noProxy: readonly string[];
}

export interface OsSettings {
  sysctls: Readonly<Record<string, string>>;
  /** Kernel modules and their parameters. */
  modules: Readonly<Record<string, { parameters: Readonly<Record<string, string>> }>>;
  /** For login sessions, by limits.conf(5) item. */
  limits: Readonly<
    Record<string, { soft?: number | 'unlimited' | undefined; hard?: number | 'unlimited' | undefined }>
  >;
  /** Absent = as on the image, which is off. */
  swap?: { file: string; sizeBytes: number; behavior: 'NoSwap' | 'LimitedSwap' } | undefined;
  /** Number of pages by page size. */
  hugePages: { '2Mi'?: number | undefined; '1Gi'?: number | undefined };
  timeServers: readonly string[];
}

export interface StorageSettings {
  /** Directories on a mounted file system; absent = as on the image. */
  containerdRoot?: string | undefined;
  kubeletRoot?: string | undefined;
}

export interface SshSettings {
  /** By user. */
  authorizedKeys: Readonly<Record<string, readonly string[]>>;
  passwordAuthentication?: boolean | undefined;
}

export interface MetadataAccess {
  /** Pods cannot reach the metadata address and the platform's wire server. Host-network pods still can. */
  isBlockedForPods: boolean;
  /** Pod address ranges that keep access. */
  allowedCidrs: readonly string[];
}

export interface FileSpec {
  /** Wrapped if the document marks it as secret. */
  content: string | Secret;
  encoding: 'utf8' | 'base64';
  mode: number;
  owner: string;
  group: string;
}

export interface UnitSpec {
  /** The whole unit file; absent = the image's unit file, changed only by drop-ins and state. */
  content?: string | undefined;
  /** By file name, ending in .conf. */
  dropIns: Readonly<Record<string, string>>;
  /** Absent = as on the image. */
  isEnabled?: boolean | undefined;
  isMasked: boolean;
  /** Absent = headstart neither starts nor stops it. */
  isActive?: boolean | undefined;
}

export type AllowedClass = 0 | 1 | 2 | 3 | 4 | 5 | 6;

export interface UpdatePolicy {
  /** auto: now · staged: at the next boot · manual: on command · try: now, rolled back after `tryForMs` unless kept. */
  mode: 'auto' | 'staged' | 'manual' | 'try';
  tryForMs: number;
  /** The highest disruption class that is applied without a command. */
  maxClass: AllowedClass;
  /** UTC. Absent = at any time. */
  window?: { days: readonly Weekday[]; startMinute: number; durationMs: number } | undefined;
  /** Nodes apply at different times within this span; a per-node seed decides when. */
  jitterMs: number;
  /** How many nodes of a pool may be in class 4 and above at once; a hint for the coordinator. */
  maxUnavailable: number;
  /** What to do about owned files that something else changed. */
  onDrift: 'report' | 'repair';
  pollMs: number;
  health: {
    /** Does healthy include Node Ready? A node without a CNI plugin is never Ready. */
    requireNodeReady: boolean;
    readyWithinMs: number;
    maxRestarts: number;
    restartsWithinMs: number;
    /** After being healthy this long, the generation is the last known good one. */
    commitAfterMs: number;
  };
}

export type Weekday = 'Mon' | 'Tue' | 'Wed' | 'Thu' | 'Fri' | 'Sat' | 'Sun';

export function fileBytes(file: FileSpec): Uint8Array {
  const text = typeof file.content === 'string' ? file.content : file.content.reveal();
  return Buffer.from(text, file.encoding);
}
