// cluster/why-not-ready.ts: a node was asked for and is not Ready: why, and what is to be done? From what was seen of its VM, its kubelet
// and the cluster. systemd is content with a kubelet that every request is refused to, so all three are looked at.

export interface JoinState {
  node: string;
  isVmRunning: boolean;
  /** Absent: its guest agent did not answer. */
  guest?: GuestState;
  /** Absent: the API server did not answer us. */
  cluster?: ClusterState;
}

export interface GuestState {
  /** As `systemctl show kubelet.service` has them. */
  loadState: string;
  activeState: string;
  /** Of the main process when it ended last. */
  exitStatus?: number;
  /** The end of the kubelet's journal, oldest first. */
  lines: readonly string[];
}

export interface ClusterState {
  /** Of this node since its VM was started, oldest first. */
  requests: readonly {
    name: string;
    state: 'pending' | 'approved' | 'issued' | 'denied' | 'failed';
    detail?: string;
  }[];
  node?: { isReady: boolean; message?: string };
  /** It was there since its VM was started, and then was not. */
  wasDeleted: boolean;
}

export type NotReadyReason =
  | { kind: 'ready' }
  | { kind: 'no-vm' }
  | { kind: 'plane-away' }
  | { kind: 'guest-silent' }
  | { kind: 'other-certificate'; other: string }
  | { kind: 'no-kubelet' }
  | { kind: 'no-credential' }
  | { kind: 'credential-refused' }
  | { kind: 'server-unreachable'; said: string }
  | { kind: 'kubelet-failed'; said: string }
  | { kind: 'kubelet-not-started'; state: string }
  | { kind: 'node-deleted' }
  | { kind: 'node-not-ready'; message: string }
  | { kind: 'request-denied' | 'request-failed'; name: string; detail: string }
  | { kind: 'request-pending' | 'request-approved'; name: string }
  | { kind: 'not-registered'; said: string }
  | { kind: 'request-missing'; said: string };

/** The first thing on the way to Ready that is not as it has to be. */
export function whyNotReady({ node, isVmRunning, guest, cluster }: JoinState): NotReadyReason {
  if (!isVmRunning) return { kind: 'no-vm' };
  if (!cluster) return { kind: 'plane-away' };
  if (cluster.node?.isReady) return { kind: 'ready' };
  if (!guest) return { kind: 'guest-silent' };
  const other = otherNodeIn(guest.lines, node);
  if (other !== undefined) return { kind: 'other-certificate', other };
  const logReason = reasonFromLog(guest.lines);
  if (guest.activeState !== 'active') return notActive(guest, logReason);
  if (cluster.node) return isUnreachable(logReason) ? logReason : notReady(cluster.node.message);
  if (cluster.wasDeleted) return { kind: 'node-deleted' };
  return (
    requestReason(cluster.requests.at(-1), guest.lines) ??
    logReason ?? { kind: 'request-missing', said: lastError(guest.lines) }
  );
}

function notActive(guest: GuestState, logReason: NotReadyReason | undefined): NotReadyReason {
  if (guest.loadState === 'not-found' || guest.loadState === 'masked') return { kind: 'no-kubelet' };
  if (guest.exitStatus === EXIT_CREDENTIALS) return { kind: 'no-credential' };
  if (logReason) return logReason;
  const hasRun = guest.activeState === 'failed' || (guest.exitStatus ?? 0) !== 0;
  return hasRun
    ? { kind: 'kubelet-failed', said: lastError(guest.lines) }
    : { kind: 'kubelet-not-started', state: short(guest.activeState) };
}

/** systemd's own: credentials could not be set up. One that the machine was not started with is passed over instead. */
const EXIT_CREDENTIALS = 243;

function notReady(message = ''): NotReadyReason {
  return { kind: 'node-not-ready', message: short(message) };
}

function requestReason(
  request: ClusterState['requests'][number] | undefined,
  lines: readonly string[],
): NotReadyReason | undefined {
  if (!request) return undefined;
  const { name, state, detail = '' } = request;
  if (state === 'denied' || state === 'failed') return { kind: `request-${state}`, name, detail: short(detail) };
  if (state === 'pending' || state === 'approved') return { kind: `request-${state}`, name };
  return { kind: 'not-registered', said: lastError(lines) };
}

/** The authoriser and the admission of the API server name whom they take the kubelet for. */
const TAKEN_FOR = [
  /User \\?"system:node:([^"\\\s]{1,253})\\?"/,
  /node '([^'\s]{1,253})' (?:cannot|is not allowed to) /,
  /can only create a node CSR with CN=system:node:([\w.-]{1,253})/,
];

function otherNodeIn(lines: readonly string[], node: string): string | undefined {
  return lines
    .filter((line) => /forbidden|cannot|can only/i.test(line))
    .flatMap((line) => TAKEN_FOR.map((pattern) => pattern.exec(line)?.[1]).find((name) => name !== undefined) ?? [])
    .findLast((name) => name !== node);
}

const LOG_PATTERNS: readonly (readonly [RegExp, (line: string) => NotReadyReason])[] = [
  [
    /unable to load bootstrap kubeconfig|bootstrap-kubeconfig: no such file|status=243\/CREDENTIALS|Failed to set up credentials/,
    () => ({ kind: 'no-credential' }),
  ],
  [/\bUnauthorized\b/, () => ({ kind: 'credential-refused' })],
  [
    /:6443\b.*(?:dial tcp|connection refused|no route to host|network is unreachable|TLS handshake timeout|i\/o timeout|x509: )/,
    (line) => ({ kind: 'server-unreachable', said: short(messageOf(line)) }),
  ],
];

function reasonFromLog(lines: readonly string[]): NotReadyReason | undefined {
  for (const line of lines.toReversed()) {
    const found = LOG_PATTERNS.find(([pattern]) => pattern.test(line));
    if (found) return found[1](line);
  }
  return undefined;
}

const isUnreachable = (reason: NotReadyReason | undefined): reason is NotReadyReason =>
  reason?.kind === 'server-unreachable';

/** klog's errors begin with E or F; without one, whatever was said last. */
function lastError(lines: readonly string[]): string {
  const error = lines.findLast((line) => /(?:^|\s)[EF]\d{4} \d\d:\d\d:\d\d|\berror\b|\bfailed\b/i.test(line));
  return short(messageOf(error ?? lines.at(-1) ?? ''));
}

/** Without the stamp, the place in the code and the quoting of a log line. */
function messageOf(line: string): string {
  return line.replace(/^.*?[A-Z]\d{4} [\d:.]+\s+\d+ [\w.]+:\d+\] /, '').replaceAll('\\"', '"');
}

const MOST_CHARACTERS = 300;

function short(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim();
  return plain.length <= MOST_CHARACTERS ? plain : `${plain.slice(0, MOST_CHARACTERS)}…`;
}

/** `why` has no full stop, as messages of errors have none; `next` is a thing to do. */
export function explain(reason: NotReadyReason, node: string): { why: string; next: string } {
  const journal = `look at it with \`headstart pool exec ${node} -- journalctl -u kubelet -b\``;
  const restart = `\`headstart pool stop ${node}\` and \`headstart pool start ${node}\``;
  const told = (text: string) => (text === '' ? '' : `: ${text}`);
  switch (reason.kind) {
    case 'ready':
      return {
        why: 'the API server calls it Ready, but nobody saw its kubelet say so since the VM was started',
        next: 'look again in a moment, with `headstart cluster status`',
      };
    case 'no-vm':
      return { why: `the VM of ${node} does not run`, next: `start it with \`headstart pool start ${node}\`` };
    case 'plane-away':
      return { why: 'the API server of the cluster does not answer', next: 'run `headstart cluster up` again' };
    case 'guest-silent':
      return {
        why: `the VM of ${node} runs, but its guest agent does not answer`,
        next: `read its console with \`headstart pool logs ${node}\``,
      };
    case 'other-certificate':
      return {
        why: `the kubelet of ${node} comes with the certificate of ${reason.other}, so the API server refuses all it asks: its image was captured with /var/lib/kubelet/pki in it`,
        next: `make the image again with \`headstart prototype run\`, which takes the donor's certificate out, then \`headstart pool reimage ${node}\``,
      };
    case 'no-kubelet':
      return {
        why: `there is no kubelet on ${node}: its image has none, or what installs it has not come that far`,
        next: `read its console with \`headstart pool logs ${node}\``,
      };
    case 'no-credential':
      return {
        why: `the kubelet of ${node} was given no bootstrap kubeconfig`,
        next: `start the VM anew (${restart}), and look that kubelet.service has LoadCredential=bootstrap-kubeconfig`,
      };
    case 'credential-refused':
      return {
        why: `the API server does not accept the credential of ${node} (its bootstrap token has expired or was revoked)`,
        next: `give it a new one by starting the VM anew: ${restart}`,
      };
    case 'server-unreachable':
      if (reason.said.includes('x509: ')) {
        return {
          why: `${node} does not believe the API server, or is not believed by it${told(reason.said)}`,
          next: `if the cluster was made anew since: give its pool new user data (\`headstart cluster node-config\`), then \`headstart pool reimage ${node}\``,
        };
      }
      return {
        why: `${node} cannot reach the API server${told(reason.said)}`,
        next: 'look whether `headstart cluster status` is healthy, and at the server that kubelet was given',
      };
    case 'kubelet-failed':
      return { why: `the kubelet of ${node} fails${told(reason.said)}`, next: journal };
    case 'kubelet-not-started':
      return {
        why: `the kubelet of ${node} has not been started (${reason.state || 'no state'})`,
        next: `see what it waits for with \`headstart pool exec ${node} -- systemctl list-jobs\``,
      };
    case 'node-deleted':
      return {
        why: `the Node ${node} was deleted while its VM came up, and its kubelet has not made another`,
        next: `let it begin again: ${restart}`,
      };
    case 'node-not-ready':
      return { why: `${node} has registered and is not Ready${told(reason.message)}`, next: journal };
    case 'request-denied':
      return {
        why: `the request of ${node} for a certificate was denied (${reason.name})${told(reason.detail)}`,
        next: `delete it with \`kubectl delete csr ${reason.name}\`, then start the VM anew: ${restart}`,
      };
    case 'request-failed':
      return {
        why: `the request of ${node} for a certificate could not be signed (${reason.name})${told(reason.detail)}`,
        next: 'look whether `headstart cluster status` is healthy',
      };
    case 'request-pending':
      return {
        why: `the request of ${node} for a certificate is not approved (${reason.name})`,
        next: `look whether \`headstart cluster status\` is healthy, or approve it with \`kubectl certificate approve ${reason.name}\``,
      };
    case 'request-approved':
      return {
        why: `the request of ${node} for a certificate is approved and not signed (${reason.name})`,
        next: 'look whether `headstart cluster status` is healthy',
      };
    case 'not-registered':
      return { why: `${node} has its certificate and has not registered${told(reason.said)}`, next: journal };
    case 'request-missing':
      return {
        why: `the kubelet of ${node} runs and has not asked for a certificate${told(reason.said)}`,
        next: journal,
      };
  }
}
