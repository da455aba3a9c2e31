// node/reason-codes.ts: why does this node not run the document it should? The complete list of reasons. Status,
// annotations, events, metrics and logs use only these codes. Never rename a code; add a row for a new reason.

export interface Reason {
  /** One sentence for a reader who sees the code for the first time. */
  summary: string;
  /** What the reader can do; undefined: nothing. */
  next?: string;
}

export const REASONS = {
  'ok/applied': { summary: 'The node runs this document.' },
  'ok/nothing-to-do': { summary: 'The node already matches the document.' },

  'metadata/waiting': { summary: 'The metadata service has not answered yet; the daemon retries.' },
  'metadata/refused': {
    summary: 'The metadata service refuses connections.',
    next: 'check that the primary interface has its address and a route to the metadata address',
  },
  'metadata/unreachable': {
    summary: 'The metadata service cannot be reached.',
    next: 'check that the primary interface has its address and a route to the metadata address',
  },
  'metadata/timed-out': { summary: 'The metadata service does not answer in time.' },
  'metadata/not-found': { summary: 'The metadata service does not have this document (404).' },
  'metadata/gone': { summary: 'The metadata service is being updated (410).' },
  'metadata/changing': {
    summary: 'The document changes while the daemon reads it; the daemon uses it once two reads return the same bytes.',
    next: 'find out what writes the user data of this instance, and how often',
  },
  'metadata/throttled': { summary: 'Too many requests to the metadata service (429); other agents share the limit.' },
  'metadata/server-error': { summary: 'The metadata service returns a server error (5xx).' },
  'metadata/rejected': {
    summary: 'The metadata service rejects the request, also with the older API version.',
    next: 'this image does not support the platform: report it with the status text',
  },
  'metadata/bad-answer': { summary: 'The response of the metadata service is not an instance document.' },
  'metadata/too-large': { summary: 'The response of the metadata service is larger than an instance document can be.' },
  'metadata/no-user-data': {
    summary: 'The instance has no userData.',
    next: 'set the userData of the instance to a NodeConfig; the node keeps the applied document',
  },
  'metadata/no-custom-data': { summary: 'There is no provisioning disk with custom data.' },

  'config/too-large': {
    summary: 'The document is larger than instance metadata can hold.',
    next: 'shorten it, or compress it with gzip',
  },
  'config/truncated': {
    summary: 'The document is truncated.',
    next: 'deliver the complete document: base64 of the text, or of its gzip',
  },
  'config/not-readable': {
    summary: 'The document is neither YAML nor JSON.',
    next: 'run `headstart node check FILE` on it',
  },
  'config/not-a-node-config': {
    summary: 'The document is not a NodeConfig.',
    next: 'start it with `apiVersion: headstart.dev/v1` and `kind: NodeConfig`',
  },
  'config/unsupported-version': {
    summary: "This image does not support the document's apiVersion.",
    next: 'run `headstart node convert` on it, or use an image that supports it',
  },
  'config/invalid': {
    summary: 'The document has invalid field values.',
    next: 'run `headstart node check FILE` on it',
  },
  'config/unknown-field': {
    summary: 'The document has unknown fields: `headstart node check` reports them, a node ignores them.',
    next: 'correct or remove them; `headstart node check --lenient` reports them as warnings',
  },
  'config/other-kubernetes-version': {
    summary: 'The document is for a different Kubernetes version than this image has.',
    next: 'replace the node with one built from the image of that version',
  },
  'config/not-yet': { summary: 'The document must not be applied yet (notBefore).' },
  'config/expired': { summary: 'The document has expired (expires).', next: 'deliver a newer document' },
  'config/generation-backwards': {
    summary: "The document's generation is lower than the applied one.",
    next: 'raise metadata.generation, or use `headstart node rollback`',
  },
  'config/generation-reused': {
    summary: 'The document differs from the applied one but has the same generation.',
    next: 'raise metadata.generation with every change',
  },
  'config/signature-missing': {
    summary: 'The image accepts only signed documents, and this document is not signed.',
    next: 'sign it with a key that has its public key on the image',
  },
  'config/signature-invalid': {
    summary: 'The signature of the document matches no public key on the image.',
    next: 'sign it again after its last change',
  },
  'config/disappeared': {
    summary: 'The metadata has no document any more; the node keeps the applied document.',
  },
  'config/announced-not-delivered': {
    summary: 'The metadata service has not delivered the announced generation.',
    next: 'check that the userData of this instance was updated',
  },
  'config/kept-as-applied': {
    summary:
      'The applied document could not be read again with the files now on the node; the node keeps it as it was applied.',
    next: 'correct the file that the note names',
  },
  'config/release-unreadable': {
    summary: "The image's release file is missing or cannot be read.",
    next: 'replace the image: it was not built as a node image',
  },

  'plan/blocked-by-class': {
    summary: 'The change is more disruptive than the update policy allows automatically.',
    next: 'run `headstart node plan` to see it, then `headstart node apply --yes`, or raise spec.update.maxDisruption',
  },
  'plan/manual': { summary: 'The update policy requires a manual apply.', next: 'run `headstart node apply`' },
  'plan/staged': { summary: 'The change waits for the next boot.' },
  'plan/outside-window': { summary: 'The change waits for its maintenance window.' },
  'plan/waiting-turn': { summary: "The change waits for this node's turn." },
  'plan/needs-control-plane': {
    summary: 'The node may not make part of the change: taints, or labels under reserved prefixes.',
    next: 'let a controller make that part, or register the node again',
  },
  'plan/needs-replacement': {
    summary: 'A running node cannot make this change; it requires a new node.',
    next: 'replace the node',
  },
  'plan/drift': {
    summary: 'Files that headstart owns were changed outside headstart.',
    next: 'run `headstart node plan` to see the drift; `spec.update.onDrift: repair` repairs it',
  },
  'plan/obstructed': {
    summary: 'A folder, a device or a link on the node blocks the path of a file that headstart writes.',
    next: 'run `headstart node plan` to see the path; remove what blocks it, or replace the node',
  },
  'plan/known-bad': {
    summary: 'The node rolled this document back before and does not retry it.',
    next: 'deliver a different document',
  },

  'apply/running': { summary: 'The node is applying the change.' },
  'apply/busy': { summary: 'Another change is running on this node.' },
  'apply/disk-full': { summary: 'The disk has no space left for the change.', next: 'free some space on the node' },
  'apply/write-failed': { summary: 'A file could not be written.' },
  'apply/command-failed': { summary: 'A command that the change runs failed.' },
  'apply/setting-refused': {
    summary: 'The kernel rejected a setting of the change.',
    next: 'deliver a document with a value that this kernel accepts',
  },
  'apply/drain-failed': {
    summary: 'The node could not be drained for the change; nothing was changed.',
    next: 'find out which pods cannot be evicted, and why',
  },
  'apply/memory-unreadable': {
    summary: 'The saved state of this node cannot be read; headstart changes nothing without it.',
    next: 'replace the node',
  },
  'apply/interrupted': { summary: 'The change was interrupted; the next start finished it or rolled it back.' },

  'standby/waiting': {
    summary: 'The instance is in standby: everything is prepared, and kubelet starts when the instance is claimed.',
  },
  'standby/parked': {
    summary: 'The platform booted this VM before anybody asked for it; it becomes a node when it is given a document.',
  },
  'standby/unconfirmed': {
    summary: 'The metadata service does not say whether the instance is still in standby; it stays there.',
    next: 'if the instance was claimed, run `headstart node join`',
  },
  'standby/assumed-claimed': {
    summary:
      'The instance was started or resumed and the metadata service has been silent since, so the node joined without it.',
    next: 'check that the primary interface has a route to the metadata address',
  },
  'standby/already-joined': {
    summary: 'The metadata says that the instance is in standby, but the node has joined its cluster; it stays.',
    next: 'replace the instance if the pool still owns it',
  },
  'standby/not-understood': {
    summary: 'The metadata has an unexpected value where it says whether the instance is in standby; it was ignored.',
    next: 'report it with the status text',
  },

  'verify/running': { summary: 'The change is applied; the daemon is watching the health of the node.' },
  'verify/unit-failed': { summary: 'A unit is not running after the change.' },
  'verify/crash-loop': { summary: 'A unit is in a crash loop after the change.' },
  'verify/runtime-silent': { summary: 'containerd does not answer after the change.' },
  'verify/kubelet-unhealthy': { summary: 'kubelet is not healthy after the change.' },
  'verify/node-not-ready': { summary: 'The node did not become Ready after the change.' },
  'verify/api-unreachable': { summary: 'The API server was reachable before the change and no longer is.' },
  'verify/not-kept': {
    summary: 'The change was on trial and was not confirmed in time.',
    next: 'run `headstart node apply` again and confirm with `headstart node apply --keep`, or deliver a different document',
  },
  'verify/unexpected-reboot': { summary: 'The node rebooted while the daemon was watching the change.' },

  'rollback/done': { summary: 'The change was rolled back; the node runs the previous document.' },
  'rollback/failed': {
    summary: 'The change could not be rolled back completely.',
    next: 'replace the node, and report it with `headstart node history`',
  },

  'platform/not-told': {
    summary:
      'The daemon could not report the provisioning result to the platform in time; the platform may mark the instance as failed.',
    next: 'check that the wire server (168.63.129.16) can be reached from the primary interface',
  },

  'daemon/broke': {
    summary: 'The daemon hit an unexpected error; it continues and retries later.',
    next: 'report it with `journalctl -u headstart-node`; the node keeps the applied document',
  },

  'clone/new-identity': { summary: 'The node is a clone and was given a new identity.' },
  'clone/no-identity': {
    summary: 'The clone check could not decide whether this node is a clone; kubelet is not started.',
    next: 'replace the node',
  },
} as const satisfies Record<string, Reason>;

export type ReasonCode = keyof typeof REASONS;

export function reasonFor(code: ReasonCode): Reason {
  return REASONS[code];
}

export function isReasonCode(text: string): text is ReasonCode {
  return Object.hasOwn(REASONS, text);
}
