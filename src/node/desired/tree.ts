// node/desired/tree.ts: the types that describe a node and its changes: what it should look like (DesiredState), what it looks
// like (ObservedState), what headstart owns and replaced (Ownership), and what has to change (Plan). Types only.
import type { Secret } from '../../base/secret.ts';
import type { JsonObject } from '../../schema/json.ts';
import type { Problem } from '../document/problem.ts';

export type Aspect =
  | 'containerd'
  | 'dns'
  | 'files'
  | 'host-name'
  | 'huge-pages'
  | 'kubelet'
  | 'labels-taints'
  | 'limits'
  | 'metadata-firewall'
  | 'modules'
  | 'mtu'
  | 'proxy'
  | 'ssh-keys'
  | 'swap'
  | 'sysctl'
  | 'time'
  | 'trust'
  | 'units';

/**
 * What a change does to a node in service. 0 nothing · 1 live · 2 kubelet restarts · 3 containerd restarts · 4 drain first ·
 * 5 drain and remove state · 6 reboot · C only the control plane may apply it · 7 needs another node.
 */
export type DisruptionClass = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 'C' | 7;

/** The notation of a file whose settings have different classes, so that each changed setting is classified. */
export type Notation = 'kubelet-config' | 'kubelet-flags' | 'containerd-config' | 'certificates';

/** What has to happen after a file has changed. Never starts or restarts a unit that does not run. */
export type FileEffect =
  | { do: 'daemon-reload' }
  | { do: 'restart'; unit: string }
  | { do: 'reload'; unit: string }
  /** Enable again, because the [Install] section may have changed. */
  | { do: 'enable'; unit: string }
  | { do: 'update-trust' }
  | { do: 'apply-tmpfiles'; path: string };

export interface Bytes {
  /** A Secret must not be shown and prints as a placeholder. */
  content: string | Secret;
  encoding: 'utf8' | 'base64';
}

/** How a change of an owned file is treated. Saved with the ownership, for when the file leaves the document. */
export interface Treatment {
  aspect: Aspect;
  /** Class of any change to the file; the highest possible class if `notation` allows to classify each setting. */
  class: DisruptionClass;
  notation?: Notation | undefined;
  after: readonly FileEffect[];
}

export interface OwnedFile extends Bytes, Treatment {
  /** Absolute path on the node. */
  path: string;
  mode: number;
  owner: string;
  group: string;
  /** The file is a symbolic link to this and has no content: how systemd masks a unit. */
  linkTo?: string;
  /** Deleted as soon as kubelet has its own credential. */
  isOnlyToJoin?: boolean;
}

/**
 * Values that are not files, by key. How each is set · and cleared, where that is possible:
 * - `sysctl` by name: written below /proc/sys (`sysctlPath`)
 * - `module` by name, `loaded`: modprobe; never unloaded
 * - `host-name`: of the kernel; /etc/hostname, for the next boot, is an owned file
 * - `mtu`: of the interface of the default route
 * - `swap` by file, bytes: create the file, mkswap, swapon · swapoff, delete the file
 * - `firewall` by table of the family inet, a fingerprint of its rules: `nft -f` of RULES_PATH · delete the table
 * - `kubeconfig`, the server that kubelet connects to: `repointKubeconfig`
 * - `label` of the Node by key: patched with the node's credential · removed
 * - `taint` of the Node by `key:effect`: reported, never set; only the control plane may change taints
 * - `unit-enabled`, `unit-active` by unit, `yes` or `no`: systemctl reenable, disable, start, stop
 */
export type LiveKind =
  | 'sysctl'
  | 'module'
  | 'host-name'
  | 'mtu'
  | 'swap'
  | 'firewall'
  | 'kubeconfig'
  | 'label'
  | 'taint'
  | 'unit-enabled'
  | 'unit-active';

/** `kind key`; a kind with one value has the key ''. */
export type LiveId = `${LiveKind} ${string}`;

export interface LiveValue {
  kind: LiveKind;
  key: string;
  value: string;
  aspect: Aspect;
}

/** Everything headstart owns on this node, as it should be. */
export interface DesiredState {
  files: ReadonlyMap<string, OwnedFile>;
  live: ReadonlyMap<LiveId, LiveValue>;
  /** State directory of kubelet. */
  kubeletRoot: string;
  problems: readonly Problem[];
}

export type ObservedPath =
  | { kind: 'absent' }
  | ({ kind: 'file'; mode: number; uid: number; gid: number } & Bytes)
  | { kind: 'link'; target: string }
  /** A folder, a device, or a file too large to save: not replaceable. */
  | { kind: 'other'; what: string }
  /** `at`, a parent of the path, is a link or not a folder; links are never followed. */
  | { kind: 'unreachable'; at: string };

/** never-ran: kubelet never ran on this machine · not-started: not yet in this boot, so no pod runs · running. */
export type KubeletPhase = 'never-ran' | 'not-started' | 'running';

export interface ObservedState {
  /** All desired and owned paths, and the paths of swap files. */
  files: ReadonlyMap<string, ObservedPath>;
  /** The existing parent folders of our files. */
  folders: ReadonlySet<string>;
  /** No entry = no value. */
  live: ReadonlyMap<LiveId, string>;
  /** Existing units; isOfImage: the image has the unit, independent of our files. */
  units: ReadonlyMap<string, { isActive: boolean; isMasked: boolean; isOfImage: boolean }>;
  /** Ids of the users and groups that files should have; no entry = the node has no such name. */
  users: ReadonlyMap<string, number>;
  groups: ReadonlyMap<string, number>;
  kubeletPhase: KubeletPhase;
  /** kubelet has its own credential, and it has not expired. */
  hasCredential: boolean;
  /** The Node object was read: `live` includes its labels and taints. */
  isNodeKnown: boolean;
  kubelet: {
    /** The configuration of the image, and all existing drop-ins by path. */
    base: JsonObject;
    dropIns: ReadonlyMap<string, JsonObject>;
    /** Existing state files that some changes have to remove. */
    state: ReadonlySet<string>;
  };
}

export type Original = Extract<ObservedPath, { kind: 'absent' | 'file' | 'link' }>;

/** What the applied generation put on the node, and what the node had before headstart first changed it. */
export interface Ownership {
  files: ReadonlyMap<string, OwnershipRecord>;
  /** Folders that headstart created. */
  folders: ReadonlySet<string>;
  live: ReadonlyMap<LiveId, { value: string; original: string | undefined; aspect: Aspect }>;
}

export interface OwnershipRecord extends Treatment {
  /** Hash of the content, or of the link target. */
  sha256: string;
  /** Undefined for a link. */
  rights: { mode: number; uid: number; gid: number } | undefined;
  isSecret: boolean;
  /** What the image had, for a restore. */
  original: Original;
}

export const NOTHING_OWNED: Ownership = { files: new Map(), folders: new Set(), live: new Map() };

/** One setting inside a file. */
export interface LeafChange {
  path: string;
  /** As written in the file; absent = not set. Both are hidden if the file is secret. */
  from?: string | undefined;
  to?: string | undefined;
  class: DisruptionClass;
  why: string;
}

export type Diff =
  | { kind: 'text'; lines: readonly DiffLine[] }
  | { kind: 'value'; from: string | undefined; to: string | undefined }
  | { kind: 'hidden'; because: 'secret' | 'not text' };

export interface DiffLine {
  /** gap: equal lines are left out. */
  sign: ' ' | '+' | '-' | 'gap';
  text: string;
}

export interface PlannedChange {
  aspect: Aspect;
  /** A path, or a live value: `sysctl vm.max_map_count`. */
  what: string;
  /** restore: put back what the image had. */
  op: 'create' | 'update' | 'remove' | 'restore';
  class: DisruptionClass;
  why: string;
  /** Something else changed it after headstart wrote it. */
  isDrift: boolean;
  leaves: readonly LeafChange[];
  diff: Diff;
}

/** Every step is safe to repeat after a crash. */
export type PlanStep =
  | { do: 'drain' }
  | { do: 'uncordon' }
  | { do: 'make-folder'; path: string }
  | ({ do: 'write-file'; path: string; mode: number; uid: number; gid: number } & Bytes)
  | { do: 'make-link'; path: string; target: string }
  | { do: 'remove-file'; path: string }
  /** Only if it is empty: files of others stay. */
  | { do: 'remove-folder'; path: string }
  | { do: 'remove-state'; path: string }
  | { do: 'set'; kind: LiveKind; key: string; value: string }
  /** Undoes a `set`. */
  | { do: 'clear'; kind: LiveKind; key: string }
  | { do: 'daemon-reload' }
  | { do: 'update-trust' }
  | { do: 'apply-tmpfiles'; path: string }
  | { do: 'reload-unit'; unit: string }
  | { do: 'restart-unit'; unit: string }
  | { do: 'stop-unit'; unit: string }
  | { do: 'start-unit'; unit: string }
  | { do: 'reboot' };

export interface Plan {
  changes: readonly PlannedChange[];
  /** In order. No steps for changes of class C; empty if there is a problem or a change of class 7. */
  steps: readonly PlanStep[];
  /** The highest class of all changes. */
  class: DisruptionClass;
  /** If there is a problem, the plan must not be applied. */
  problems: readonly Problem[];
  /** Ownership after all steps. */
  ownership: Ownership;
  /** The old and the new ownership together. Saved before the first step, so that after a crash our files are not mistaken for the image's. */
  ownershipMeanwhile: Ownership;
  /** The configuration that kubelet must report, as far as it is known. */
  kubeletConfig: JsonObject;
}
