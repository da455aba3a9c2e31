// node/desired/tree.ts: the words in which a node is described and changed: what should be there (Desired), what is (Observed),
// what is ours and what was there before us (Ownership), and what has to be done about it (Plan). Types only.
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
 * 5 drain and remove state · 6 reboot · C only the control plane may do it · 7 takes another node.
 */
export type DisruptionClass = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 'C' | 7;

/** Where the class of a change lies in single settings of the file, and which notation they are written in. */
export type Notation = 'kubelet-config' | 'kubelet-flags' | 'containerd-config' | 'certificates';

/** What has to happen once a file has changed. A unit that does not run is neither started nor restarted by it. */
export type FileEffect =
  | { do: 'daemon-reload' }
  | { do: 'restart'; unit: string }
  | { do: 'reload'; unit: string }
  /** Again, for what it is enabled by may have changed with it. */
  | { do: 'enable'; unit: string }
  | { do: 'update-trust' }
  | { do: 'apply-tmpfiles'; path: string };

export interface Bytes {
  /** Wrapped when it must not be shown: nothing that prints a plan can. */
  content: string | Secret;
  encoding: 'utf8' | 'base64';
}

/** How a file of ours is treated; kept with the ownership, for the day it leaves the document. */
export interface Treatment {
  aspect: Aspect;
  /** Of any change to it; the highest one there is where `notation` allows a finer answer. */
  class: DisruptionClass;
  notation?: Notation | undefined;
  after: readonly FileEffect[];
}

export interface OwnedFile extends Bytes, Treatment {
  /** Absolute, as the node sees it. */
  path: string;
  mode: number;
  owner: string;
  group: string;
  /** It is a link to this and has no content: how systemd masks a unit. */
  linkTo?: string;
  /** Only until the node has a credential of its own; then it goes. */
  isOnlyToJoin?: boolean;
}

/**
 * Values that are not files, each under its key; what it takes to set one, and to clear it where that is possible:
 * - `sysctl` by name: written below /proc/sys (`sysctlPath`)
 * - `module` by name, `loaded`: modprobe; never taken out
 * - `host-name`: the kernel's; the file for the next boot is one of our files
 * - `mtu`: of the interface of the default route
 * - `swap` by file, bytes: the file is made anew, mkswap, swapon · swapoff, and the file goes
 * - `firewall` by table of the family inet, a fingerprint of its rules: `nft -f` of RULES_PATH · the table is deleted
 * - `kubeconfig`, the server kubelet talks to: `repointKubeconfig`
 * - `label` of the Node by key: patched with the node's own credential · removed
 * - `taint` of the Node by `key:effect`: asked for, never done
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

/** Everything we own on this node, as it should be. */
export interface DesiredState {
  files: ReadonlyMap<string, OwnedFile>;
  live: ReadonlyMap<LiveId, LiveValue>;
  /** Where kubelet keeps its state. */
  kubeletRoot: string;
  problems: readonly Problem[];
}

export type ObservedPath =
  | { kind: 'absent' }
  | ({ kind: 'file'; mode: number; uid: number; gid: number } & Bytes)
  | { kind: 'link'; target: string }
  /** A folder, a device, or a file too large to keep: not something to replace. */
  | { kind: 'other'; what: string }
  /** A folder on the way to it is a link or no folder; links are never followed. */
  | { kind: 'unreachable'; at: string };

/** never-ran: no kubelet on this machine so far · not-started: not yet in this boot, so no pod runs either · running. */
export type KubeletPhase = 'never-ran' | 'not-started' | 'running';

export interface ObservedState {
  /** Of all paths we want or own, and of those a swap file goes to. */
  files: ReadonlyMap<string, ObservedPath>;
  /** Of the folders our files are in, those that exist. */
  folders: ReadonlySet<string>;
  /** Without an entry = not there. */
  live: ReadonlyMap<LiveId, string>;
  /** Units that exist: do they run, and are they there without us? */
  units: ReadonlyMap<string, { isActive: boolean; isMasked: boolean; isOfImage: boolean }>;
  /** Numbers of the owners and groups that files should have; a name the node does not know is missing. */
  users: ReadonlyMap<string, number>;
  groups: ReadonlyMap<string, number>;
  kubeletPhase: KubeletPhase;
  /** kubelet has a credential of its own that is still good. */
  hasCredential: boolean;
  /** The Node object was read: its labels and taints are among the live values. */
  isNodeKnown: boolean;
  kubelet: {
    /** The image's own configuration, and every drop-in there is, by path. */
    base: JsonObject;
    dropIns: ReadonlyMap<string, JsonObject>;
    /** State files there are, of those that stand in the way of some changes. */
    state: ReadonlySet<string>;
  };
}

export type Original = Extract<ObservedPath, { kind: 'absent' | 'file' | 'link' }>;

/** What the applied generation put on the node, and what was there before headstart first touched it. */
export interface Ownership {
  files: ReadonlyMap<string, OwnershipRecord>;
  /** Folders we made. */
  folders: ReadonlySet<string>;
  live: ReadonlyMap<LiveId, { value: string; original: string | undefined; aspect: Aspect }>;
}

export interface OwnershipRecord extends Treatment {
  /** Of the content, or of what the link leads to. */
  sha256: string;
  /** Undefined for a link. */
  rights: { mode: number; uid: number; gid: number } | undefined;
  isSecret: boolean;
  /** The image's default, to go back to. */
  original: Original;
}

export const NOTHING_OWNED: Ownership = { files: new Map(), folders: new Set(), live: new Map() };

/** One setting inside a file. */
export interface LeafChange {
  path: string;
  /** As they are written, absent = not there; both hidden when the file is secret. */
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
  /** gap: lines that are the same were left out. */
  sign: ' ' | '+' | '-' | 'gap';
  text: string;
}

export interface PlannedChange {
  aspect: Aspect;
  /** A path, or a live value: `sysctl vm.max_map_count`. */
  what: string;
  /** restore: what the image had comes back. */
  op: 'create' | 'update' | 'remove' | 'restore';
  class: DisruptionClass;
  why: string;
  /** Somebody else changed it since we wrote it. */
  isDrift: boolean;
  leaves: readonly LeafChange[];
  diff: Diff;
}

/** One thing to do. Each may be done again after a crash without harm. */
export type PlanStep =
  | { do: 'drain' }
  | { do: 'uncordon' }
  | { do: 'make-folder'; path: string }
  | ({ do: 'write-file'; path: string; mode: number; uid: number; gid: number } & Bytes)
  | { do: 'make-link'; path: string; target: string }
  | { do: 'remove-file'; path: string }
  /** Only if it is empty: what others put there stays. */
  | { do: 'remove-folder'; path: string }
  | { do: 'remove-state'; path: string }
  | { do: 'set'; kind: LiveKind; key: string; value: string }
  /** Takes away what a `set` made. */
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
  /** In this order, one by one. None for changes of class C; none at all with a problem or a change of class 7. */
  steps: readonly PlanStep[];
  /** The highest of all changes. */
  class: DisruptionClass;
  /** With any, nothing of the plan may be done. */
  problems: readonly Problem[];
  /** What is ours once all steps are done. */
  ownership: Ownership;
  /** While they are done, what was and what will be: on disk before the first, or nobody can tell our files from the image's. */
  ownershipMeanwhile: Ownership;
  /** What kubelet must say its configuration is, of what we know. */
  kubeletConfig: JsonObject;
}
