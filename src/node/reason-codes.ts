// node/reason-codes.ts: why is this node not running what it should? Every answer there is, in one closed list: status,
// annotations, events, metrics and logs say nothing else. A code is never renamed; a new reason is a new row.

export interface Reason {
  /** One sentence, for a person who has not seen the code before. */
  summary: string;
  /** What to do about it; without it there is nothing to do. */
  next?: string;
}

export const REASONS = {
  'ok/applied': { summary: 'The node runs this document.' },
  'ok/nothing-to-do': { summary: 'The document asks for what the node already is.' },

  'metadata/waiting': { summary: 'The metadata service has not answered yet; it is asked again.' },
  'metadata/refused': {
    summary: 'Connections to the metadata service are refused.',
    next: 'check that the primary interface has its address and a route to the metadata address',
  },
  'metadata/unreachable': {
    summary: 'The metadata service cannot be reached.',
    next: 'check that the primary interface has its address and a route to the metadata address',
  },
  'metadata/timed-out': { summary: 'The metadata service does not answer in time.' },
  'metadata/not-found': { summary: 'The metadata service has no such document (404).' },
  'metadata/gone': { summary: 'The metadata service is being updated (410).' },
  'metadata/changing': {
    summary: 'The document changes while it is read; it is taken once two reads of it are the same.',
    next: 'see who writes the user data of this instance, and how often',
  },
  'metadata/throttled': { summary: 'Too many requests to the metadata service (429); other agents share the limit.' },
  'metadata/server-error': { summary: 'The metadata service fails (5xx).' },
  'metadata/rejected': {
    summary: 'The metadata service rejects the request, also with the older version of its interface.',
    next: 'this image does not fit the platform: report it with the status text',
  },
  'metadata/bad-answer': { summary: 'The metadata service answered something that is not an instance document.' },
  'metadata/too-large': { summary: 'The metadata service answers more than an instance document can be.' },
  'metadata/no-user-data': {
    summary: 'The instance has no userData.',
    next: 'set the userData of the instance to a NodeConfig; what was applied before stays in force',
  },
  'metadata/no-custom-data': { summary: 'There is no provisioning disk with custom data.' },

  'config/too-large': {
    summary: 'The document is larger than instance metadata can carry.',
    next: 'shorten it, or compress it with gzip',
  },
  'config/truncated': {
    summary: 'The document ends in the middle.',
    next: 'deliver it whole: base64 of the complete text, or of its gzip',
  },
  'config/not-readable': {
    summary: 'The document is neither YAML nor JSON.',
    next: 'run `headstart node check FILE` on it',
  },
  'config/not-a-node-config': {
    summary: 'There is a document, but it is not a NodeConfig.',
    next: 'start it with `apiVersion: headstart.dev/v1` and `kind: NodeConfig`',
  },
  'config/unsupported-version': {
    summary: "The document's apiVersion is not one this image takes.",
    next: 'run `headstart node convert` on it, or use an image that takes it',
  },
  'config/invalid': {
    summary: 'The document has fields with values that cannot be.',
    next: 'run `headstart node check FILE` on it',
  },
  'config/unknown-field': {
    summary:
      'The document has fields that this image does not know: `headstart node check` says so, a node ignores them.',
    next: 'put them right or remove them; `headstart node check --lenient` makes them warnings',
  },
  'config/other-kubernetes-version': {
    summary: 'The document is for another Kubernetes version than the one on this image.',
    next: 'replace the node by one made from the image of that version',
  },
  'config/not-yet': { summary: 'The document is not to be applied yet (notBefore).' },
  'config/expired': { summary: 'The document may not be applied any more (expires).', next: 'deliver a newer one' },
  'config/generation-backwards': {
    summary: "The document's generation is lower than the applied one.",
    next: 'raise metadata.generation, or use `headstart node rollback`',
  },
  'config/generation-reused': {
    summary: 'The document differs from the applied one but has the same generation.',
    next: 'raise metadata.generation with every change',
  },
  'config/signature-missing': {
    summary: 'The image takes signed documents only, and this one is not signed.',
    next: 'sign it with a key whose public half is on the image',
  },
  'config/signature-invalid': {
    summary: 'No key on the image made the signature of this document.',
    next: 'sign it again, after the last change to it',
  },
  'config/disappeared': {
    summary: 'The document is gone from the metadata; what was applied stays in force.',
  },
  'config/announced-not-delivered': {
    summary: 'A generation was announced that the metadata service does not deliver.',
    next: 'check that the userData of this very instance was updated',
  },
  'config/kept-as-applied': {
    summary:
      'What the node runs cannot be read again with the files that are on the node now; it stays as it was applied.',
    next: 'correct the file that the note names',
  },
  'config/release-unreadable': {
    summary: "The image's release file is missing or cannot be read.",
    next: 'replace the image: it was not built as a node image',
  },

  'plan/blocked-by-class': {
    summary: 'The change is more disruptive than the update policy allows by itself.',
    next: 'run `headstart node plan` to see it, then `headstart node apply --yes`, or raise spec.update.maxDisruption',
  },
  'plan/manual': { summary: 'The update policy waits for a person.', next: 'run `headstart node apply`' },
  'plan/staged': { summary: 'The change waits for the next boot.' },
  'plan/outside-window': { summary: 'The change waits for its window.' },
  'plan/waiting-turn': { summary: "The change waits for this node's turn." },
  'plan/needs-control-plane': {
    summary: 'Part of the change is not for the node to make: taints, or labels under reserved prefixes.',
    next: 'let a controller make it, or register the node again',
  },
  'plan/needs-replacement': {
    summary: 'The change alters what a node is; it takes a new node.',
    next: 'replace the node',
  },
  'plan/drift': {
    summary: 'Somebody else changed what headstart owns on this node.',
    next: 'run `headstart node plan` to see it; `spec.update.onDrift: repair` puts it back',
  },
  'plan/obstructed': {
    summary: 'Something on the node is in the way of a file of ours: a folder, a device, a link in its path.',
    next: 'run `headstart node plan` to see it; remove it, or replace the node',
  },
  'plan/known-bad': {
    summary: 'This very document was tried and taken back before; it is not tried again.',
    next: 'deliver another document',
  },

  'apply/running': { summary: 'The change is being made.' },
  'apply/busy': { summary: 'Another change is being made on this node.' },
  'apply/disk-full': { summary: 'There is no space left for the change.', next: 'free some space on the node' },
  'apply/write-failed': { summary: 'A file could not be written.' },
  'apply/command-failed': { summary: 'A command of the change failed.' },
  'apply/setting-refused': {
    summary: 'The kernel does not take a setting of the change.',
    next: 'deliver a document with a value that this kernel knows',
  },
  'apply/drain-failed': {
    summary: 'The node could not be drained for the change; nothing was changed.',
    next: 'see which pods cannot be evicted, and why',
  },
  'apply/memory-unreadable': {
    summary: 'What headstart remembers of this node cannot be read, and nothing is changed on a guess.',
    next: 'replace the node',
  },
  'apply/interrupted': { summary: 'The change was interrupted; it was finished or taken back at the next start.' },

  'verify/running': { summary: 'The change is made; its health is being watched.' },
  'verify/unit-failed': { summary: 'A unit does not run after the change.' },
  'verify/crash-loop': { summary: 'A unit crashes over and over after the change.' },
  'verify/runtime-silent': { summary: 'containerd does not answer after the change.' },
  'verify/kubelet-unhealthy': { summary: 'kubelet does not report healthy after the change.' },
  'verify/node-not-ready': { summary: 'The node did not become Ready after the change.' },
  'verify/api-unreachable': { summary: 'The API server was reachable before the change and is not any more.' },
  'verify/not-kept': {
    summary: 'The change was on trial, and nobody kept it.',
    next: 'run `headstart node apply` again and keep it, or deliver another document',
  },
  'verify/unexpected-reboot': { summary: 'The node rebooted while the change was being watched.' },

  'rollback/done': { summary: 'The change was taken back; the node runs what it ran before.' },
  'rollback/failed': {
    summary: 'The change could not be taken back completely.',
    next: 'replace the node, and report it with `headstart node history`',
  },

  'platform/not-told': {
    summary: 'The platform could not be told in time how this node came up; it may take the instance for failed.',
    next: 'check that the wire server (168.63.129.16) can be reached from the primary interface',
  },

  'daemon/broke': {
    summary: 'The daemon met something it does not know; it goes on, and tries again later.',
    next: 'report it with `journalctl -u headstart-node`; what was applied stays in force',
  },

  'clone/new-identity': { summary: 'The node is a clone and was given an identity of its own.' },
  'clone/no-identity': {
    summary: 'It could not be told whether this node is a clone; kubelet is not started.',
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
