// node/document/config.ts: what should this node be? One type for every version of the document: all defaults are in it, all
// expressions are worked out for this machine, all secrets are wrapped. Read by everything after document.ts.
import type { Secret } from '../../base/secret.ts';
import type { JsonObject } from '../../schema/json.ts';

export interface NodeConfig {
  generation: number;
  /** Who or what made this document, for status and logs. */
  id?: string | undefined;
  notBeforeMs?: number | undefined;
  expiresMs?: number | undefined;

  /** Always that of the image; another one was refused when the document was read. `1.34.2`, no `v`. */
  kubernetesVersion: string;
  /** Absent = kubelet runs on its own (static pods), and `join` is absent too. */
  cluster?: ClusterConfig | undefined;
  join?: JoinConfig | undefined;
  /** Lower case. Absent = the name the platform gave the instance. */
  hostName?: string | undefined;
  kubelet: KubeletSettings;
  /** For registration; keys under prefixes a kubelet may not set on itself were refused. */
  labels: Readonly<Record<string, string>>;
  taints: readonly Taint[];
  containerd: ContainerdSettings;
  network: NetworkSettings;
  /** Absent = none. */
  proxy?: ProxySettings | undefined;
  /** Certificates to trust beside the image's, by name: PEM. */
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
  /** A program on the image answers with a credential made from the instance's own identity; nothing secret is delivered. */
  | {
      method: 'exec';
      apiVersion: string;
      command: string;
      args: readonly string[];
      env: Readonly<Record<string, string>>;
    }
  /** A systemd credential of this name holds a bootstrap kubeconfig; it never touches the document. */
  | { method: 'credential'; name: string }
  /** A bootstrap token in the document. Discouraged: whoever reads the instance's metadata can read it. */
  | { method: 'token'; token: Secret; expiresMs?: number | undefined }
  /** A kubeconfig is already on the node. */
  | { method: 'existing' };

export interface Reserved {
  cpuMillis?: number | undefined;
  memoryBytes?: number | undefined;
  ephemeralStorageBytes?: number | undefined;
  pids?: number | undefined;
}

/** An absent field leaves what the image's own kubelet configuration says. */
export interface KubeletSettings {
  maxPods?: number | undefined;
  podPidsLimit?: number | undefined;
  systemReserved: Reserved;
  kubeReserved: Reserved;
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
  /** Remaining command-line flags by name without dashes; those headstart sets itself were refused. */
  flags: Readonly<Record<string, string>>;
  credentialProvider?: { config: JsonObject; binDir: string } | undefined;
  /** Free-form KubeletConfiguration, merged over all of the above; without apiVersion and kind. */
  config: JsonObject;
}

export interface Taint {
  key: string;
  value?: string | undefined;
  effect: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute';
}

/** An absent field leaves what the image's own containerd configuration says. */
export interface ContainerdSettings {
  /** By registry host, `docker.io`, `registry:5000`, or `_default`. */
  registries: Readonly<Record<string, RegistrySpec>>;
  runtimes: Readonly<Record<string, { type: string; options: JsonObject }>>;
  defaultRuntime?: string | undefined;
  sandboxImage?: string | undefined;
  snapshotter?: string | undefined;
  maxConcurrentDownloads?: number | undefined;
  /** LimitNOFILE= of its unit. */
  openFilesLimit?: number | undefined;
  /** Appended to what is rendered, untouched. */
  toml?: string | undefined;
}

export interface RegistrySpec {
  /** The registry itself when no mirror answers; absent = `https://` and the host. */
  server?: string | undefined;
  /** Asked in this order. */
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
  /** primary: the address the platform gave the first interface · kubelet: its own choice · fixed: `nodeAddresses`. */
  nodeIp: 'primary' | 'kubelet' | 'fixed';
  nodeAddresses: readonly string[];
  dnsServers: readonly string[];
  searchDomains: readonly string[];
  mtu?: number | undefined;
}

export interface ProxySettings {
  /** A proxy's address may hold a password. */
  http?: Secret | undefined;
  https?: Secret | undefined;
  /** As given; metadata, services and pods are added when it is rendered. */
  noProxy: readonly string[];
}

export interface OsSettings {
  sysctls: Readonly<Record<string, string>>;
  /** Kernel modules and their parameters. */
  modules: Readonly<Record<string, { parameters: Readonly<Record<string, string>> }>>;
  /** For login sessions, by item as limits.conf(5) spells it. */
  limits: Readonly<
    Record<string, { soft?: number | 'unlimited' | undefined; hard?: number | 'unlimited' | undefined }>
  >;
  /** Absent = as the image has it, which is off. */
  swap?: { file: string; sizeBytes: number; behavior: 'NoSwap' | 'LimitedSwap' } | undefined;
  /** Pages by page size. */
  hugePages: { '2Mi'?: number | undefined; '1Gi'?: number | undefined };
  timeServers: readonly string[];
}

export interface StorageSettings {
  /** Folders on a file system that is mounted already; absent = where the image has them. */
  containerdRoot?: string | undefined;
  kubeletRoot?: string | undefined;
}

export interface SshSettings {
  /** By user. */
  authorizedKeys: Readonly<Record<string, readonly string[]>>;
  passwordAuthentication?: boolean | undefined;
}

export interface MetadataAccess {
  /** Pods may not reach the metadata address and the platform's wire server; host network is untouched. */
  isBlockedForPods: boolean;
  /** Pod addresses that may nevertheless. */
  allowedCidrs: readonly string[];
}

export interface FileSpec {
  /** Wrapped when the document says it is secret. */
  content: string | Secret;
  encoding: 'utf8' | 'base64';
  mode: number;
  owner: string;
  group: string;
}

export interface UnitSpec {
  /** The whole unit file; absent = the image's own, changed only by drop-ins and state. */
  content?: string | undefined;
  /** By file name, ending in .conf. */
  dropIns: Readonly<Record<string, string>>;
  /** Absent = as the image has it. */
  isEnabled?: boolean | undefined;
  isMasked: boolean;
  /** Should it run? Absent = not started or stopped by us. */
  isActive?: boolean | undefined;
}

export type AllowedClass = 0 | 1 | 2 | 3 | 4 | 5 | 6;

export interface UpdatePolicy {
  /** auto: now · staged: at the next boot · manual: when told · try: now, and back after `tryForMs` unless kept. */
  mode: 'auto' | 'staged' | 'manual' | 'try';
  tryForMs: number;
  /** The highest disruption class that may happen by itself. */
  maxClass: AllowedClass;
  /** UTC. Absent = at any time. */
  window?: { days: readonly Weekday[]; startMinute: number; durationMs: number } | undefined;
  /** Spread over this long, by a seed of the node's own. */
  jitterMs: number;
  /** How many nodes of a pool may be in class 4 and above at once; a hint for whoever coordinates. */
  maxUnavailable: number;
  /** What to do about owned files that somebody else changed. */
  onDrift: 'report' | 'repair';
  pollMs: number;
  health: {
    /** Is Node Ready part of being healthy? A node without a CNI yet is not Ready for no fault of its own. */
    requireNodeReady: boolean;
    readyWithinMs: number;
    maxRestarts: number;
    restartsWithinMs: number;
    /** Healthy for this long = last known good. */
    commitAfterMs: number;
  };
}

export type Weekday = 'Mon' | 'Tue' | 'Wed' | 'Thu' | 'Fri' | 'Sat' | 'Sun';

/** What the file will hold. */
export function fileBytes(file: FileSpec): Uint8Array {
  const text = typeof file.content === 'string' ? file.content : file.content.reveal();
  return Buffer.from(text, file.encoding);
}
